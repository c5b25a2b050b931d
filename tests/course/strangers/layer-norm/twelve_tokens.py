# %% wrong_a057
#: The ReLU is missing; the article's tokens have no negative hidden unit, so only other tables
#: show it.
#: named: no_relu
def encoder_tail(x, w1, b1, w2, b2, gamma, beta):
    ffn = (x @ w1 + b1) @ w2 + b2
    residual = x + ffn
    centred = residual - residual.mean(-1, keepdim=True)
    normalised = gamma * centred / (centred.square().mean(-1, keepdim=True) + 1e-6).sqrt() + beta
    return ffn, residual, normalised


# %% wrong_a058
#: The sum is taken in place in ffn, so the first table that is returned is the second one.
#: named: ffn_holds_the_residual
def encoder_tail(x: Tensor, w1: Tensor, b1: Tensor, w2: Tensor, b2: Tensor, gamma: Tensor,
                 beta: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    hidden = torch.relu(torch.addmm(b1, x, w1))           # (tokens, h)
    ffn = torch.addmm(b2, hidden, w2)                     # (tokens, d)

    residual = ffn
    residual += x                                         # saves one table of memory

    mean = residual.mean(dim=1, keepdim=True)
    variance = ((residual - mean) ** 2).mean(dim=1, keepdim=True)
    normalised = (residual - mean) / torch.sqrt(variance + 1e-6)
    normalised = gamma * normalised + beta
    return ffn, residual, normalised


# %% wrong_a059
#: F.layer_norm is called without eps and takes 1e-5 instead of 1e-6.
#: named: another_eps
def encoder_tail(x: Tensor, w1: Tensor, b1: Tensor, w2: Tensor, b2: Tensor, gamma: Tensor,
                 beta: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """What follows attention in an encoder layer: (ffn, residual, normalised), each (tokens, d)."""
    # F.linear stores its weights as (out, in)
    ffn = F.linear(F.relu(F.linear(x, w1.t(), b1)), w2.t(), b2)
    residual = x + ffn
    normalised = F.layer_norm(residual, normalized_shape=(x.size(-1),), weight=gamma, bias=beta)
    return ffn, residual, normalised


# %% right_a060
def encoder_tail(x, w1, b1, w2, b2, gamma, beta):
    urefu = torch.einsum('td,dh->th', x, w1) + b1
    wazi = torch.where(urefu > 0, urefu, torch.zeros_like(urefu))
    ffn = torch.einsum('th,hd->td', wazi, w2) + b2
    residual = torch.stack([x, ffn]).sum(dim=0)
    tofauti, wastani = torch.var_mean(residual, dim=1, correction=0)
    sawa = ((residual.T - wastani) * (tofauti + 1e-6).rsqrt()).T
    return ffn, residual, sawa.mul(gamma).add(beta)


# %% wrong_b063
#: The ReLU is left out; the printed tables have no negative hidden unit, so nothing shows there.
#: named: no_relu
def encoder_tail(x: Tensor, w1: Tensor, b1: Tensor, w2: Tensor, b2: Tensor, gamma: Tensor,
                 beta: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """What follows attention in an encoder layer: (ffn, residual, normalised), each (tokens, d)."""
    hidden = x @ w1 + b1                                      # (tokens, h)
    ffn = hidden @ w2 + b2                                    # (tokens, d)
    residual = x + ffn
    mean = residual.mean(dim=-1, keepdim=True)                # (tokens, 1)
    variance = (residual - mean).square().mean(dim=-1, keepdim=True)
    normalised = gamma * (residual - mean) / torch.sqrt(variance + 1e-6) + beta
    return ffn, residual, normalised


# %% wrong_b064
#: residual is only a second name for ffn and x is added in place: the first table that is returned
#: is the residual, too.
#: named: ffn_holds_the_residual
def encoder_tail(x: Tensor, w1: Tensor, b1: Tensor, w2: Tensor, b2: Tensor, gamma: Tensor,
                 beta: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    ffn = F.relu(x.matmul(w1).add(b1)).matmul(w2).add(b2)

    residual = ffn
    residual += x

    mu = residual.mean(1, keepdim=True)
    sigma2 = residual.var(1, correction=0, keepdim=True)
    normalised = gamma * ((residual - mu) / (sigma2 + 1e-6) ** 0.5) + beta
    return ffn, residual, normalised


# %% wrong_b065
#: F.layer_norm is left at its own eps of 1e-5, where 1e-6 is asked: it shows for tokens with a
#: small variance.
#: named: another_eps
def encoder_tail(x: Tensor, w1: Tensor, b1: Tensor, w2: Tensor, b2: Tensor, gamma: Tensor,
                 beta: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    d = x.shape[-1]
    tail = F.linear(F.relu(F.linear(x, w1.T, b1)), w2.T, b2)
    res = tail + x
    return tail, res, F.layer_norm(res, (d,), gamma, beta)


# %% right_b066
def encoder_tail(x: Tensor, w1: Tensor, b1: Tensor, w2: Tensor, b2: Tensor, gamma: Tensor,
                 beta: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """What follows attention in an encoder layer: (ffn, residual, normalised), each (tokens, d)."""
    pre = torch.einsum("td,dh->th", x, w1) + b1
    act = torch.where(pre > 0, pre, torch.zeros_like(pre))
    ffn = (act[:, :, None] * w2[None]).sum(1) + b2            # (tokens, h, d) -> (tokens, d)
    residual = torch.stack((x, ffn)).sum(0)
    centred = residual - residual.sum(-1)[:, None] / residual.size(-1)
    deviation = torch.einsum("td,td->t", centred, centred).div(residual.size(-1)).add(1e-6).sqrt()
    return ffn, residual, centred / deviation[:, None] * gamma + beta
