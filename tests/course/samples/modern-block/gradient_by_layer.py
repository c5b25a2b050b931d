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


# %% wrong_e049
#: Hooks close over the loop variable, so all write into the last place.
#: named: hooks_share_the_loops_variable
def gradient_by_layer(blocks, x: Tensor, upstream: Tensor) -> Tensor:
    """The norm of the gradient of (upstream * output).sum() with respect to what enters each block."""
    lengths = torch.zeros(len(blocks), dtype=x.dtype)
    h = x.detach().clone().requires_grad_()
    for i, block in enumerate(blocks):
        h = h.clone()
        if not h.requires_grad:
            h.requires_grad_()

        def note(gradient):
            lengths[i] = gradient.detach().norm()

        h.register_hook(note)
        h = block(h)
    total = (upstream.detach() * h).sum()
    if total.requires_grad:
        total.backward()
    return lengths


# %% wrong_e050
#: Detaches in front of every block, so all places but the last get 0.
#: named: places_are_cut_off
def gradient_by_layer(blocks, x: Tensor, upstream: Tensor) -> Tensor:
    """The norm of the gradient of (upstream * output).sum() with respect to what enters each block."""
    places, h = [], x
    for block in blocks:
        h = h.detach().clone().requires_grad_()
        places.append(h)
        h = block(h)
    lengths = torch.zeros(len(places), dtype=x.dtype)
    total = (upstream.detach() * h).sum()
    if total.requires_grad:
        for i, gradient in enumerate(torch.autograd.grad(total, places, allow_unused=True)):
            if gradient is not None:
                lengths[i] = gradient.norm()
    return lengths


# %% wrong_f059
#: x that is a leaf without requires_grad requires a gradient afterwards.
#: named: x_wants_a_gradient_afterwards
def gradient_by_layer(blocks, x: Tensor, upstream: Tensor) -> Tensor:
    """The norm of the gradient of (upstream * output).sum() with respect to what enters each block."""
    if x.is_leaf:
        x.requires_grad_()
    places, h = [], x
    for block in blocks:
        h = h.clone()
        if not h.requires_grad:
            h.requires_grad_()
        places.append(h)
        h = block(h)
    lengths = torch.zeros(len(places), dtype=x.dtype)
    total = (upstream.detach() * h).sum()
    if total.requires_grad:
        for i, gradient in enumerate(torch.autograd.grad(total, places, allow_unused=True)):
            if gradient is not None:
                lengths[i] = gradient.norm()
    return lengths
