# Not who depends on whom: which norm of a list computes the same, with a sum of other tokens or without.
# proof: compares (True|False)
def over(*axes):
    centred = x - x.mean(dim=axes, keepdim=True)
    return centred / torch.sqrt(centred.square().mean(dim=axes, keepdim=True) + 1e-6)

y, rms = norm(x), x / torch.sqrt(x.square().mean(-1, keepdim=True) + 1e-6)
batch, seq, _ = x.shape
others = (x.sum((0, 1)) - x.sum(1, keepdim=True)) / max(1, (batch - 1) * seq)
positions = (x.sum(1, keepdim=True) - x) / max(1, seq - 1)
known = [(word, of_token + more) for of_token in (over(-1), rms) for word, more in (
    ("neither", 0), ("batch", others), ("positions", positions))]
known += [("neither", x), ("neither", 0 * x), ("batch", over(0)), ("positions", over(1)), ("both", over(0, 1))]
found = [word for word, answer in known if torch.allclose(y, answer, atol=1e-4)]
prove("compares", bool(found))
return found[0] if found else "neither" if norm(0 * x).any() else "both"
