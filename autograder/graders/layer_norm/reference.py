"""What correct solutions of `layer-norm` compute, for reading.

Constructors and `forward` take what the statement says: stand-ins read their signatures here.

Ba, Kiros and Hinton, "Layer Normalization" (2016), section 3; Vaswani et al., "Attention Is All You
Need" (2017), sections 3.1 and 3.3.
"""

from typing import NamedTuple

import torch
from torch import Tensor, nn

EPS = 1e-6


def normalise(x: Tensor, eps: float = EPS) -> Tensor:
    """(x - mean) / sqrt(variance + eps) over the last axis, with the variance over n. x: (..., d)."""
    centred = x - x.mean(dim=-1, keepdim=True)
    return centred / torch.sqrt(centred.square().mean(dim=-1, keepdim=True) + eps)


class LayerNorm(nn.Module):
    """gamma * normalise(x) + beta. x: (..., d_model) -> (..., d_model)."""

    def __init__(self, d_model: int, eps: float = EPS):
        super().__init__()
        self.gamma = nn.Parameter(torch.ones(d_model))
        self.beta = nn.Parameter(torch.zeros(d_model))
        self.eps = eps

    def forward(self, x: Tensor) -> Tensor:
        return self.gamma * normalise(x, self.eps) + self.beta


class AddAndNorm(nn.Module):
    """LayerNorm(x + Dropout(sublayer_output)): post-norm, sections 3.1 and 5.4.

    x, sublayer_output: (batch, seq, d_model) -> (batch, seq, d_model).
    """

    def __init__(self, d_model: int, dropout: float = 0.0):
        super().__init__()
        self.norm = LayerNorm(d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor, sublayer_output: Tensor) -> Tensor:
        return self.norm(x + self.dropout(sublayer_output))


def encoder_tail(
    x: Tensor, w1: Tensor, b1: Tensor, w2: Tensor, b2: Tensor, gamma: Tensor, beta: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    """What follows attention in an encoder layer: (ffn, residual, normalised), each (tokens, d).

    x: (tokens, d); w1: (d, h); b1: (h); w2: (h, d); b2, gamma, beta: (d).
    """
    ffn = torch.relu(x @ w1 + b1) @ w2 + b2
    residual = x + ffn
    return ffn, residual, gamma * normalise(residual) + beta


def recover(residual: Tensor, normalised: Tensor) -> tuple[Tensor, Tensor]:
    """The gamma and beta, (d) each, with which LayerNorm makes `normalised` of `residual`, by least
    squares: a line through tokens many points for each feature. Both arguments: (tokens, d).
    """
    x_hat = normalise(residual)
    mean, target = x_hat.mean(dim=0), normalised.mean(dim=0)
    gamma = ((x_hat - mean) * (normalised - target)).sum(0) / (x_hat - mean).square().sum(0)
    return gamma, target - gamma * mean


def depends_on(norm, x: Tensor) -> str:
    """Whether a token of `norm(x)` depends on tokens of other sentences ("batch"), on others of its
    own ("positions"), on "both" or on "neither", besides its own features. x: (batch, seq, d_model).
    """
    jacobian = torch.autograd.functional.jacobian(norm, x)  # (batch, seq, d, batch, seq, d)
    depends = jacobian.abs().amax(dim=(2, 5)) > 1e-4  # (batch, seq, batch, seq)
    same_sentence = torch.eye(len(x), dtype=torch.bool)[:, None, :, None]
    same_position = torch.eye(x.size(1), dtype=torch.bool)[None, :, None, :]
    on_batch = bool((depends & ~same_sentence).any())
    on_positions = bool((depends & same_sentence & ~same_position).any())
    return {(True, True): "both", (True, False): "batch", (False, True): "positions"}.get(
        (on_batch, on_positions), "neither"
    )


def as_convolution(linear1: nn.Linear, linear2: nn.Linear) -> nn.Sequential:
    """linear2(ReLU(linear1(x))) as convolutions of kernel size 1 (section 3.3).

    (batch, d_model, seq) -> (batch, d_model, seq).
    """

    def copied(linear: nn.Linear) -> nn.Conv1d:
        convolution = nn.Conv1d(linear.in_features, linear.out_features, kernel_size=1)
        convolution.weight.data.copy_(linear.weight.unsqueeze(-1))
        convolution.bias.data.copy_(linear.bias)  # type: ignore[union-attr]
        return convolution

    return nn.Sequential(copied(linear1), nn.ReLU(), copied(linear2))


def prediction_for(x: Tensor) -> dict[str, float | str]:
    """What `normalise` does to one token, as the dict of the exercise `predict_norm`. x: (d)."""
    y = normalise(x)

    def told(is_the_same: bool) -> str:
        return "same" if is_the_same else "changes"

    return {
        "mean": round(y.mean().item()),
        "variance": round(y.var(correction=0).item()),
        "order": told(torch.equal(y.argsort(), x.argsort())),
        "10 * x": told(torch.allclose(normalise(10 * x), y)),
        "x + 100": told(torch.allclose(normalise(x + 100), y)),
    }


PREDICTION = prediction_for(torch.tensor([2.0, 4.0, 6.0, 8.0]))


class Tail(NamedTuple):
    """What `encoder_tail` gets: x (tokens, d), w1 (d, h), b1 (h), w2 (h, d), the others (d)."""

    x: Tensor
    w1: Tensor
    b1: Tensor
    w2: Tensor
    b2: Tensor
    gamma: Tensor
    beta: Tensor

    def normalise(self, residual: Tensor) -> Tensor:
        """The third output, of any residual."""
        return self.gamma * normalise(residual) + self.beta


def draw_tail(tokens: int = 7, d: int = 5, h: int = 11, size: float = 2.0) -> Tail:
    """Random tables; `size` is that of the input and, about, of what the feed forward adds."""
    return Tail(
        x=size * torch.randn(tokens, d),
        w1=torch.randn(d, h),
        b1=size * torch.randn(h),
        w2=torch.randn(h, d) / 2,
        b2=size * torch.randn(d),
        gamma=_scale(d),
        beta=torch.randn(d),
    )


def draw_norm(tokens: int, d: int, noise: float = 0.0) -> tuple[Tensor, Tensor]:
    """A residual and what a LayerNorm with random gamma and beta makes of it, (tokens, d) each.

    Each feature of the residual has a mean of its own, and so has its normalised one.
    """
    residual = 3 * torch.randn(tokens, d) + 2 * torch.randn(d)
    normalised = _scale(d) * normalise(residual) + torch.randn(d)
    return residual, normalised + noise * torch.randn(tokens, d)


def _scale(d: int) -> Tensor:
    """(d) of both signs, none near zero or one."""
    signs = torch.where(torch.arange(d) % 2 == 1, -1, 1)[torch.randperm(d)]
    return signs * (1.4 + torch.rand(d))


def follow(x: Tensor, ffn: Tensor) -> Tensor:
    """x + ffn; x alone where these do not fit."""
    return x + ffn if x.shape == ffn.shape else x


def nearer(answer: Tensor, *expected: Tensor) -> Tensor:
    """The one of several that an answer is nearest to; the last where shapes do not fit."""
    fitting = [one for one in expected if one.shape == answer.shape]
    return min(fitting, key=lambda one: float((answer - one).abs().max()), default=expected[-1])


def parts_of(answer: object, *names: str) -> list[Tensor]:
    """What a function returned under these names in a dict, or else in this order."""
    assert answer is not None, "Nothing comes back. Is a `return` missing?"
    if isinstance(answer, dict):
        answer = [answer[name] for name in names] if {*names} <= {*answer} else answer.values()
    parts = [*answer]  # type: ignore[misc]
    assert len(parts) == len(names), f"Are {len(names)} things returned: {', '.join(names)}?"
    return [torch.as_tensor(part, dtype=torch.get_default_dtype()) for part in parts]
