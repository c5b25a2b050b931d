# %% wrong_a061
#: The slope is that of a line through the origin; the shift is only taken afterwards from what is
#: left, so it is not the least squares line.
#: named: no_intercept
def recover(residual: Tensor, normalised: Tensor) -> tuple[Tensor, Tensor]:
    mean = residual.mean(dim=-1, keepdim=True)
    var = residual.var(dim=-1, keepdim=True, unbiased=False)
    x_hat = (residual - mean) / torch.sqrt(var + 1e-6)
    # the layer norm already has mean 0, so the sums need no centring
    gamma = (x_hat * normalised).sum(dim=0) / (x_hat * x_hat).sum(dim=0)
    beta = (normalised - gamma * x_hat).mean(dim=0)
    return gamma, beta


# %% wrong_a062
#: The line is looked for by a fixed number of gradient steps that stop before it is found.
#: named: -
def recover(residual: Tensor, normalised: Tensor) -> tuple[Tensor, Tensor]:
    """Just train it!"""
    d = residual.shape[1]
    x_hat = F.layer_norm(residual, (d,), eps=1e-6).detach()
    gamma = torch.ones(d, dtype=residual.dtype, requires_grad=True)
    beta = torch.zeros(d, dtype=residual.dtype, requires_grad=True)
    optimizer = torch.optim.Adam([gamma, beta], lr=0.01)
    with torch.enable_grad():
        for step in range(200):
            optimizer.zero_grad()
            loss = F.mse_loss(gamma * x_hat + beta, normalised.detach())
            loss.backward()
            optimizer.step()
    return gamma.detach(), beta.detach()


# %% right_a063
def recover(residual, normalised):
    d = residual.shape[-1]
    x̂ = F.layer_norm(residual, [d], eps=1e-6)
    Δx, Δy = x̂ - x̂.mean(0), normalised - normalised.mean(0)
    γ = torch.linalg.vecdot(Δx, Δy, dim=0) / torch.linalg.vecdot(Δx, Δx, dim=0)
    β = normalised.mean(0) - γ * x̂.mean(0)
    return γ, β


# %% wrong_b067
#: The line is forced through the origin for gamma, and beta is just the mean of the column: x_hat
#: is taken for centred over the tokens, which it is not.
#: named: no_intercept
def recover(residual: Tensor, normalised: Tensor) -> tuple[Tensor, Tensor]:
    """The (gamma, beta) with which LayerNorm makes `normalised` of `residual`, as well as it can."""
    mean = residual.mean(dim=-1, keepdim=True)
    variance = residual.var(dim=-1, correction=0, keepdim=True)
    x_hat = (residual - mean) / torch.sqrt(variance + 1e-6)

    # x_hat is normalised, so its mean is 0 and the two unknowns do not mix
    gamma = (x_hat * normalised).sum(dim=0) / x_hat.square().sum(dim=0)
    beta = normalised.mean(dim=0)
    return gamma, beta


# %% wrong_b068
#: It fits x_hat as a line of the printed numbers and turns the line round: without noise that is
#: the same, with noise the slope is too steep.
#: named: turned_round_afterwards
def recover(residual: Tensor, normalised: Tensor) -> tuple[Tensor, Tensor]:
    xh = F.layer_norm(residual, residual.shape[-1:], eps=1e-6)
    t, d = xh.shape

    # undo the norm: x_hat = (normalised - beta) / gamma = a * normalised + c
    A = torch.stack([normalised.T, torch.ones(d, t, dtype=xh.dtype)], dim=-1)      # (d, tokens, 2)
    solution = torch.linalg.lstsq(A, xh.T.unsqueeze(-1)).solution                   # (d, 2, 1)
    a, c = solution[:, 0, 0], solution[:, 1, 0]

    gamma = 1 / a
    beta = -c / a
    return gamma, beta


# %% right_b069
import numpy as np


def recover(residual: Tensor, normalised: Tensor) -> tuple[Tensor, Tensor]:
    r = residual.detach().cpu().numpy().astype(np.float64)
    y = normalised.detach().cpu().numpy().astype(np.float64)
    r = r - r.mean(axis=1, keepdims=True)
    x_hat = r / np.sqrt((r ** 2).mean(axis=1, keepdims=True) + 1e-6)

    lines = [np.polyfit(x_hat[:, j], y[:, j], deg=1) for j in range(y.shape[1])]
    slopes, heights = zip(*lines)
    return (torch.tensor(slopes, dtype=residual.dtype), torch.tensor(heights, dtype=residual.dtype))
