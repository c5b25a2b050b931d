# %% wrong_a098
#: Only the first token is looked at, whose sub-layer may return nothing, so post-norm and the
#: third kind are mixed up.
#: named: one_token_is_looked_at
def kind_of_block(block, x: Tensor) -> str:
    with torch.no_grad():
        big = 100 * torch.randn_like(x)
        token = block(big)[0, 0]
        size = token.square().mean().sqrt().item()
        if size > 10:
            return "pre-norm"
        if size < 0.5:
            return "no residual"
        exact = abs(token.mean().item()) < 1e-4 and abs(token.var(correction=0).item() - 1) < 2e-4
    return "post-norm" if exact else "residual from the normed input"


# %% wrong_a099
#: Mean and variance are only asked to be within 0.1 of a norm's, which a weak sub-layer added
#: afterwards keeps as well.
#: named: -
def kind_of_block(block, x: Tensor) -> str:
    probe = torch.randn(x.shape, dtype=x.dtype) * 1000.0
    with torch.no_grad():
        out = block(probe)
    rms = float(out.pow(2).mean() ** 0.5)
    if rms > 50:
        return "pre-norm"                         # grows with x
    if rms < 0.5:
        return "no residual"                      # a tenth at most
    means = out.mean(dim=-1)
    variances = out.var(dim=-1, correction=0)
    zero = torch.zeros_like(means)
    if torch.allclose(means, zero, atol=0.1) and torch.allclose(variances, zero + 1, atol=0.1):
        return "post-norm"
    return "residual from the normed input"


# %% right_a100
def kind_of_block(block, x: Tensor) -> str:
    rng = torch.Generator().manual_seed(7)
    apokliseis, megethi = [], []
    with torch.no_grad():
        for _ in range(12):
            dokimi = (torch.randn(x.shape, generator=rng) * 300).to(x.dtype)
            apantisi = block(dokimi)
            megethi.append(apantisi.square().mean().sqrt())
            apokliseis.append(torch.maximum(apantisi.mean(-1).abs().max(),
                                            (apantisi.var(-1, correction=0) - 1).abs().max()))
    megethos, apoklisi = torch.stack(megethi).mean().item(), torch.stack(apokliseis).max().item()
    if megethos > 15:
        return "pre-norm"
    if megethos < 0.4:
        return "no residual"
    return "post-norm" if apoklisi < 1e-4 else "residual from the normed input"


# %% wrong_b046
#: It relies on the x that is given: if that is normed already, or very small, pre-norm cannot be
#: told from the others.
#: named: compared_with_x_itself
def kind_of_block(block, x: Tensor) -> str:
    y = block(x.clone())
    n = F.layer_norm(x, x.shape[-1:])

    def away(target):
        """how far the answer is from target, as a share of target"""
        return ((y - target).norm() / target.norm()).item()

    mean, var = y.mean(dim=-1), y.var(dim=-1, correction=0)
    if mean.abs().max() < 1e-4 and (var - 1).abs().max() < 1e-4:
        return "post-norm"
    if away(x) < 0.2:
        return "pre-norm"
    if away(n) < 0.2:
        return "residual from the normed input"
    return "no residual"


# %% wrong_b047
#: Only one token of the answer is looked at; a sub-layer may return next to nothing for just that
#: one, and then the third kind looks like post-norm.
#: named: one_token_is_looked_at
def kind_of_block(block, x: Tensor) -> str:
    probe = 1000 * torch.randn_like(x)
    token = block(probe)[0, 0].detach()          # every token is treated alike, one is enough

    size = token.square().mean().sqrt().item()
    if size > 50:
        return "pre-norm"
    if size < 0.5:
        return "no residual"

    mean = token.mean().item()
    variance = token.var(correction=0).item()
    is_normed = abs(mean) < 1e-4 and abs(variance - 1) < 1e-4
    return "post-norm" if is_normed else "residual from the normed input"


# %% right_b048
def kind_of_block(block, x: Tensor) -> str:
    generator = torch.Generator().manual_seed(0)
    sizes, renorm = [], []
    with torch.no_grad():
        for _ in range(12):
            noise = torch.randn(x.shape, generator=generator).to(x)
            answer = block(3e3 * noise)
            sizes.append(answer.square().mean().sqrt())
            # a norm without gain does nothing to what it returned itself
            renorm.append((F.layer_norm(answer, answer.shape[-1:], eps=0.0) - answer).abs().max())
    size, change = torch.stack(sizes).median(), torch.stack(renorm).max()

    match (bool(size > 100), bool(size < 0.4), bool(change < 2e-4)):
        case (True, _, _):
            return "pre-norm"
        case (_, True, _):
            return "no residual"
        case (_, _, True):
            return "post-norm"
        case _:
            return "residual from the normed input"
