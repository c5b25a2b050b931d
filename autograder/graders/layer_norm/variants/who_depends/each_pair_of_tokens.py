def depends_on(norm, x):
    """Change one token after the other, and write down who moves."""
    y = norm(x)
    tokens = [(b, s) for b in range(len(x)) for s in range(len(x[0]))]
    kinds = set()
    for b, s in tokens:
        z = x.clone()
        z[b, s] = 3 * torch.randn(x.shape[-1])
        moved = (norm(z) - y).abs().max(dim=-1).values > 1e-4
        for c, t in tokens:
            if not moved[c, t] or (c, t) == (b, s):
                continue
            kinds.add("positions" if c == b else "batch")
    return "both" if len(kinds) > 1 else kinds.pop() if kinds else "neither"
