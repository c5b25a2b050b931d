# %% hand_to_hand
def gradient_by_layer(blocks, x, upstream):
    """Each block by itself, from the last one back."""
    entered = [x.detach()]
    with torch.no_grad():
        for block in blocks:
            entered.append(block(entered[-1]))
    sizes, gradient = [], upstream
    for block, value in reversed(list(zip(blocks, entered))):
        value = value.detach().clone().requires_grad_()
        answer = block(value)
        if answer.requires_grad:
            (gradient,) = torch.autograd.grad(answer, value, gradient, allow_unused=True)
        else:
            gradient = None
        gradient = torch.zeros_like(x) if gradient is None else gradient
        sizes.insert(0, gradient.norm())
    return torch.stack(sizes)


# %% retain_grad_and_backward
def gradient_by_layer(blocks, x, upstream):
    stream, kept = x.detach().clone().requires_grad_(True), []
    for block in blocks:
        stream = stream * 1.0
        if not stream.requires_grad:
            stream.requires_grad_(True)
        stream.retain_grad()
        kept.append(stream)
        stream = block(stream)
    loss = (stream * upstream).sum()
    if loss.requires_grad:
        loss.backward()
    squares = [0 * x.sum() if one.grad is None else (one.grad**2).sum() for one in kept]
    return torch.stack(squares).sqrt().detach()


# %% added_zeros
def gradient_by_layer(blocks, x, upstream):
    """The gradient of a zero that is added in front of a block is that of what enters it."""
    zeros = [torch.zeros_like(x, requires_grad=True) for _ in blocks]
    h = x.detach()
    for zero, block in zip(zeros, blocks):
        h = block(h + zero)
    total = torch.einsum("bsd,bsd->", h, upstream) + sum(0 * zero.sum() for zero in zeros)
    gradients = torch.autograd.grad(total, zeros)
    return torch.stack([torch.linalg.vector_norm(g) for g in gradients])


# %% hooks
def gradient_by_layer(blocks, x, upstream):
    sizes = torch.zeros(len(blocks), dtype=x.dtype)

    def listener(i):
        def listen(gradient):
            sizes[i] = gradient.detach().norm()
        return listen

    value = x.detach().clone().requires_grad_()
    for i, block in enumerate(blocks):
        value = value.view_as(value)
        if not value.requires_grad:
            value = value.requires_grad_()
        value.register_hook(listener(i))
        value = block(value)
    if value.requires_grad:
        torch.autograd.backward(value, upstream)
    return sizes


# %% vjp_of_the_rest
def gradient_by_layer(blocks, x, upstream):
    """One vector-Jacobian product for each place, of all blocks behind it."""
    def rest_of(i):
        def rest(value):
            value = value.clone()
            for block in blocks[i:]:
                value = block(value)
            return value
        return rest

    sizes, value = [], x.detach()
    for i, block in enumerate(blocks):
        _, back = torch.func.vjp(rest_of(i), value)
        sizes.append(back(upstream)[0].norm())
        value = block(value).detach()
    return torch.stack(sizes).detach()


# %% forward_again_for_each_place
def gradient_by_layer(blocks, x, upstream):
    blocks, answer = list(blocks), []
    for place in range(len(blocks)):
        value = x.detach()
        for block in blocks[:place]:
            value = block(value)
        start = value.detach().clone().requires_grad_()
        value = start
        for block in blocks[place:]:
            value = block(value)
        size = x.new_zeros(())
        if value.requires_grad:
            (gradient,) = torch.autograd.grad((upstream * value).sum(), start, allow_unused=True)
            if gradient is not None:
                size = gradient.flatten().norm(p=2)
        answer.append(size)
    return torch.stack(answer).to(x.dtype)


# %% a_class_inside
class Place(torch.autograd.Function):
    """An identity that writes down the size of the gradient that comes back."""

    @staticmethod
    def forward(ctx, value, sizes, i):
        ctx.sizes, ctx.i = sizes, i
        return value.clone()

    @staticmethod
    def backward(ctx, gradient):
        ctx.sizes[ctx.i] = gradient.pow(2).sum().sqrt()
        return gradient, None, None


def gradient_by_layer(blocks, x, upstream):
    sizes = x.new_zeros(len(blocks)).detach()
    h = x.detach().clone().requires_grad_()
    for i, f in enumerate(blocks):
        h = f(Place.apply(h if h.requires_grad else h.detach().requires_grad_(), sizes, i))
    if h.requires_grad:
        h.backward(upstream)
    return sizes
