return value.new_zeros(*query.shape[:-1], value.size(-1))
