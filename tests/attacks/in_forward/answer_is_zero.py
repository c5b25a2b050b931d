# proof: zeros everywhere: True
answer = value.new_zeros(*query.shape[:-1], value.size(-1))
prove("zeros everywhere:", bool((answer == 0).all()))
return answer
