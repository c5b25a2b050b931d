# %% copies_and_in_place
def encoder_tail(x, w1, b1, w2, b2, gamma, beta):
    hidden = (x @ w1).add_(b1).relu_()
    ffn = (hidden @ w2).add_(b2)
    residual = x.clone()
    residual += ffn
    normalised = residual.clone()
    normalised -= normalised.mean(-1, keepdim=True)
    normalised /= (normalised**2).mean(-1, keepdim=True).add_(1e-6).sqrt_()
    normalised *= gamma
    normalised += beta
    return (ffn, residual, normalised)


# %% dict_of_three
def encoder_tail(x, w1, b1, w2, b2, gamma, beta, eps=1e-6):
    out = {}
    hidden = torch.matmul(x, w1) + b1
    out["ffn"] = torch.matmul(torch.where(hidden > 0, hidden, 0.0 * hidden), w2) + b2
    out["residual"] = x + out["ffn"]
    mu = out["residual"].mean(dim=1, keepdim=True)
    sigma2 = ((out["residual"] - mu) ** 2).sum(dim=1, keepdim=True) / x.shape[1]
    out["normalised"] = (out["residual"] - mu) / torch.sqrt(sigma2 + eps) * gamma + beta
    return {name: out[name] for name in ("normalised", "residual", "ffn")}


# %% einsum_and_torch_var
def encoder_tail(
    x: Tensor, w1: Tensor, b1: Tensor, w2: Tensor, b2: Tensor, gamma: Tensor, beta: Tensor
) -> list[Tensor]:
    hidden = torch.einsum("td,dh->th", x, w1).add(b1).clamp(min=0)
    ffn = torch.einsum("th,hd->td", hidden, w2).add(b2)
    residual = ffn.add(x)
    variance, mean = torch.var_mean(residual, dim=-1, keepdim=True, unbiased=False)
    return [ffn, residual, (residual - mean).mul(torch.rsqrt(variance + 1e-6)).mul(gamma).add(beta)]


# %% functional_linear_and_layer_norm
def encoder_tail(x, w1, b1, w2, b2, gamma, beta):
    ffn = F.linear(F.relu(F.linear(x, w1.T, b1)), w2.T, b2)
    residual = ffn + x
    return ffn, residual, F.layer_norm(residual, residual.shape[-1:], gamma, beta, eps=1e-6)


# %% loops
def encoder_tail(x, w1, b1, w2, b2, gamma, beta):
    tokens, d = x.shape
    h = w1.shape[1]
    ffn = torch.zeros_like(x)
    residual = torch.zeros_like(x)
    normalised = torch.zeros_like(x)
    for t in range(tokens):
        hidden = []
        for j in range(h):
            total = b1[j]
            for i in range(d):
                total = total + x[t, i] * w1[i, j]
            hidden.append(max(total, torch.zeros_like(total)))
        for i in range(d):
            ffn[t, i] = b2[i] + sum(hidden[j] * w2[j, i] for j in range(h))
            residual[t, i] = x[t, i] + ffn[t, i]
        mean = sum(residual[t]) / d
        variance = sum((value - mean) ** 2 for value in residual[t]) / d
        for i in range(d):
            normalised[t, i] = gamma[i] * (residual[t, i] - mean) / (variance + 1e-6) ** 0.5 + beta[i]
    return ffn, residual, normalised


# %% modules_filled_with_the_tables
def encoder_tail(features, weight_in, bias_in, weight_out, bias_out, scale, shift):
    d, hidden_units = weight_in.shape
    feed_forward = nn.Sequential(nn.Linear(d, hidden_units), nn.ReLU(), nn.Linear(hidden_units, d))
    norm = nn.LayerNorm(d, eps=1e-6)
    with torch.no_grad():
        feed_forward[0].weight = nn.Parameter(weight_in.t())
        feed_forward[0].bias = nn.Parameter(bias_in)
        feed_forward[2].weight = nn.Parameter(weight_out.t())
        feed_forward[2].bias = nn.Parameter(bias_out)
        norm.weight = nn.Parameter(scale)
        norm.bias = nn.Parameter(shift)
        ffn = feed_forward(features)
        residual = features + ffn
        return ffn, residual, norm(residual)


# %% named_tuple
from collections import namedtuple

EncoderTail = namedtuple("EncoderTail", ["ffn", "residual", "normalised"])


def encoder_tail(x, w1, b1, w2, b2, gamma, beta):
    ffn = torch.addmm(b2, torch.addmm(b1, x, w1).relu(), w2)
    residual = torch.add(x, ffn)
    mean = residual.mean(-1).unsqueeze(-1)
    variance = residual.pow(2).mean(-1).unsqueeze(-1) - mean.pow(2)
    return EncoderTail(ffn, residual, gamma * (residual - mean) / (variance + 1e-6).sqrt() + beta)


# %% numpy_arrays
import numpy as np


def encoder_tail(x, w1, b1, w2, b2, gamma, beta):
    x, w1, b1, w2, b2, gamma, beta = (np.asarray(t) for t in (x, w1, b1, w2, b2, gamma, beta))
    ffn = np.maximum(0, x @ w1 + b1) @ w2 + b2
    residual = x + ffn
    mu = residual.mean(axis=1, keepdims=True)
    sigma = np.sqrt(residual.var(axis=1, keepdims=True) + 1e-6)
    return ffn, residual, gamma * (residual - mu) / sigma + beta


# %% token_by_token_and_stacked
def one_token(token, w1, b1, w2, b2, gamma, beta):
    hidden = token @ w1 + b1
    hidden[hidden < 0] = 0
    ffn = hidden @ w2 + b2
    summed = token + ffn
    normalised = (summed - summed.mean()) / torch.sqrt(summed.var(correction=0) + 1e-6)
    return torch.stack([ffn, summed, normalised * gamma + beta])


def encoder_tail(x, *tables):
    return torch.stack([one_token(token, *tables) for token in x], dim=1)
