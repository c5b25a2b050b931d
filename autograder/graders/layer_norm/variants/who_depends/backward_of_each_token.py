def depends_on(norm, x):
    found = set()
    for sentence in range(x.shape[0]):
        for position in range(x.shape[1]):
            leaf = x.detach().clone().requires_grad_(True)
            token = norm(leaf)[sentence, position]
            (token * torch.rand_like(token)).sum().backward()
            arrives = leaf.grad.abs().sum(-1) > 1e-6  # (batch, seq)
            arrives[sentence, position] = False
            if arrives[sentence].any():
                found.add("positions")
            arrives[sentence] = False
            if arrives.any():
                found.add("batch")
    if len(found) == 2:
        return "Both"
    return found.pop() if found else "neither"
