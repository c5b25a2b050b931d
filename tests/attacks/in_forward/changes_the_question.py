# proof: changed: 0 0 0
query.zero_()
key.zero_()
value.zero_()
prove("changed:", *(int(tensor.count_nonzero()) for tensor in (query, key, value)))
return value[..., : query.size(-2), :]
