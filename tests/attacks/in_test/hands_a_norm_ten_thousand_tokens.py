# Each token may depend on each other one: the examiner would ask a hundred million times.
# state: error
# says: handed something that it cannot work with
# proof: hands over \(101, 101, 1\)
many = torch.zeros(101, 101, 1, dtype=x.dtype)
prove("hands over", tuple(many.shape))
norm(many)
return "both"
