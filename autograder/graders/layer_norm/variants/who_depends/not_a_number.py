def depends_on(norm, x: Tensor) -> str:
    hit = {"batch": False, "positions": False}
    for b in range(x.shape[0]):
        for s in range(x.shape[1]):
            spoiled = x.clone()
            spoiled[b, s] = float("nan")
            reached = norm(spoiled).isnan().any(dim=-1)
            hit["positions"] |= bool(reached[b].sum() > 1 or (reached[b].any() and not reached[b, s]))
            reached[b] = False
            hit["batch"] |= bool(reached.any())
    if all(hit.values()):
        return "BOTH"
    return next((name for name, true in hit.items() if true), "neither")
