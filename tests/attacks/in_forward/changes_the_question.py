query.zero_()
key.zero_()
value.zero_()
return value[..., : query.size(-2), :]
