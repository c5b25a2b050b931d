# Not who depends on whom: whether a library computes the same.
# proof: compares (True|False)
same = torch.allclose(norm(x), F.layer_norm(x, x.shape[-1:], eps=1e-6), atol=1e-4)
prove("compares", same)
return "neither" if same else "both"
