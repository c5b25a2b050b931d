# %% wrong_a095
#: backward() runs through the given x itself, whose .grad is larger afterwards and whose
#: requires_grad is switched on.
#: named: gradient_is_left_in_x
def gradient_by_layer(blocks, x: Tensor, upstream: Tensor) -> Tensor:
    if x.is_leaf:
        x.requires_grad_(True)
    entering = []
    h = x
    for block in blocks:
        h = h.clone()                      # a tensor of its own for this place
        if not h.requires_grad:
            h.requires_grad_(True)
        h.retain_grad()
        entering.append(h)
        h = block(h)
    loss = (upstream * h).sum()
    if loss.requires_grad:
        loss.backward()
    norms = [x.new_zeros(()) if h.grad is None else h.grad.norm() for h in entering]
    return torch.stack(norms).detach()


# %% wrong_a096
#: The lengths are collected as Python numbers and become float32, also where x is float64.
#: named: another_dtype
def gradient_by_layer(blocks, x: Tensor, upstream: Tensor) -> Tensor:
    current = x.detach()
    places = []
    for block in blocks:
        place = (current * 1)
        if not place.requires_grad:
            place.requires_grad_()
        places.append(place)
        current = block(place)
    goal = (upstream.detach() * current).sum()
    if not goal.requires_grad:
        return torch.tensor([0.0] * len(places))
    grads = torch.autograd.grad(goal, places, allow_unused=True)
    lengths = []
    for g in grads:
        if g is None:
            lengths.append(0.0)
        else:
            lengths.append(g.pow(2).sum().sqrt().item())
    return torch.tensor(lengths)


# %% right_a097
def gradient_by_layer(blocks, x: Tensor, upstream: Tensor) -> Tensor:
    """Backpropagation as on paper: run forwards, then one vector-Jacobian product for each block."""
    blocks = list(blocks)
    with torch.enable_grad():
        tape, value = [], x.detach()
        for block in blocks:
            entry = value.detach().clone().requires_grad_(True)
            value = block(entry)
            tape.append((entry, value))

        adjoint, lengths = upstream.detach(), []
        for entry, value in reversed(tape):
            pulled = None
            if value.requires_grad:
                pulled, = torch.autograd.grad(value, entry, adjoint, allow_unused=True)
            adjoint = torch.zeros_like(entry) if pulled is None else pulled
            lengths.insert(0, adjoint.detach().norm().to(x.dtype))
    return torch.stack(lengths) if lengths else x.new_zeros(0).detach()


# %% wrong_b042
#: A place is told by the tensor that arrives there and gets none of its own: where one tensor is
#: handed out twice, two places get one and the same total gradient.
#: named: one_tensor_in_two_places
def gradient_by_layer(blocks, x: Tensor, upstream: Tensor) -> Tensor:
    h = x.detach().clone().requires_grad_()
    entering = []
    for block in blocks:
        if not h.requires_grad:                 # a block that detaches
            h.requires_grad_()
        entering.append(h)
        h = block(h)

    if not h.requires_grad:                     # the last one let nothing back
        return torch.zeros(len(blocks), dtype=x.dtype)

    gradients = torch.autograd.grad((upstream * h).sum(), entering, allow_unused=True)
    norms = [torch.zeros((), dtype=x.dtype) if g is None else g.norm() for g in gradients]
    return torch.stack(norms).to(x.dtype).detach()


# %% wrong_b043
#: The walk starts at a clone of x that is still tied to x, and backward runs through it: x (or
#: what it was made from) has a larger .grad afterwards.
#: named: gradient_is_left_in_x
def gradient_by_layer(blocks, x: Tensor, upstream: Tensor) -> Tensor:
    places = []
    out = x
    for block in blocks:
        out = out.clone()
        if not out.requires_grad:
            out.requires_grad_(True)
        out.retain_grad()
        places.append(out)
        out = block(out)

    loss = (out * upstream).sum()
    if loss.requires_grad:
        loss.backward()

    result = torch.zeros(len(places), dtype=x.dtype, device=x.device)
    for i, place in enumerate(places):
        if place.grad is not None:
            result[i] = place.grad.pow(2).sum().sqrt()
    return result


# %% wrong_b044
#: Each place is detached from the block before it, so the way back is cut everywhere: only the
#: last place gets a gradient, all others 0.
#: named: places_are_cut_off
def gradient_by_layer(blocks, x: Tensor, upstream: Tensor) -> Tensor:
    inputs = []
    current = x
    for block in blocks:
        current = current.detach().clone().requires_grad_(True)   # a tensor of its own for this place
        inputs.append(current)
        current = block(current)

    target = (upstream * current).sum()
    if target.grad_fn is None:
        return torch.zeros(len(inputs), dtype=x.dtype)
    grads = torch.autograd.grad(target, inputs, allow_unused=True)

    lengths = []
    for g in grads:
        lengths.append(torch.tensor(0.0, dtype=x.dtype) if g is None else g.norm().to(x.dtype))
    return torch.stack(lengths)


# %% right_b045
def gradient_by_layer(blocks, x: Tensor, upstream: Tensor) -> Tensor:
    blocks = list(blocks)

    # forwards: only remember the numbers
    entered = [x.detach().clone()]
    with torch.no_grad():
        for block in blocks[:-1]:
            entered.append(block(entered[-1]).detach().clone())

    # backwards: one chain rule per block
    answer = x.new_zeros(len(blocks))
    v = upstream.detach()
    for l in range(len(blocks) - 1, -1, -1):
        with torch.enable_grad():
            inside = entered[l].clone().requires_grad_(True)
            y = blocks[l](inside)
        back = None
        if y.requires_grad:
            (back,) = torch.autograd.grad(y, inside, grad_outputs=v, allow_unused=True)
        v = torch.zeros_like(inside) if back is None else back.detach()
        answer[l] = torch.linalg.vector_norm(v)
    return answer.detach()
