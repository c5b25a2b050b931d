# %% wrong_hooks
#: Each hook reads the loop's variable when it runs.
#: named: hooks_share_the_loops_variable
def gradient_by_layer(blocks, x, upstream):
    norms = [torch.zeros((), dtype=x.dtype) for _ in blocks]
    value = x.detach().clone().requires_grad_()
    with torch.enable_grad():
        for i, block in enumerate(blocks):
            value = value.clone()
            if not value.requires_grad:
                value.requires_grad_()
            def hook(g):
                norms[i] = g.norm()
            value.register_hook(hook)
            value = block(value)
        total = (upstream * value).sum()
    if total.requires_grad:
        total.backward()
    return torch.stack(norms).detach()


# %% wrong_lambdas
#: Each lambda reads the loop's variable when it runs.
#: named: hooks_share_the_loops_variable
def gradient_by_layer(blocks, x, upstream):
    found = {}
    value = x.detach().requires_grad_()
    for i, block in enumerate(blocks):
        value = value.clone()
        if not value.requires_grad: value.requires_grad_()
        value.register_hook(lambda g: found.__setitem__(i, g.norm()))
        value = block(value)
    total = (upstream * value).sum()
    if total.requires_grad:
        total.backward()
    return torch.stack([found.get(i, x.new_zeros(())) for i in range(len(blocks))]).detach()
