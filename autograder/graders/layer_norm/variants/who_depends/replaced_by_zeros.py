def _moved(a, b):
    return (a - b).norm() > 1e-3


def depends_on(norm, x):
    out = norm(x)
    b_dep, p_dep = False, False
    for b, sent in enumerate(x):
        alone = torch.zeros_like(x)
        alone[b] = sent
        b_dep |= bool(_moved(norm(alone)[b], out[b]))
        for p, tok in enumerate(sent):
            only = x.clone()
            only[b] = 0
            only[b, p] = tok
            p_dep |= bool(_moved(norm(only)[b, p], out[b, p]))
    match b_dep, p_dep:
        case True, True:
            return "both"
        case True, False:
            return "batch"
        case False, True:
            return "positions"
    return "neither"
