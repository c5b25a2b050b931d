import torch
from torch import Tensor, nn


class Normalise(nn.Module):
    def __init__(self, n, eps=1e-5):
        super().__init__()
        self.gain = nn.Parameter(torch.ones(n))
        self.shift = nn.Parameter(torch.zeros(n))
        self.eps = eps

    def forward(self, x):
        mu = x.mean(axis=-1, keepdims=True)
        sigma = (x.var(axis=-1, keepdims=True, correction=0) + self.eps) ** 0.5
        return self.gain * ((x - mu) / sigma) + self.shift


class Drop(nn.Module):
    """Inverted dropout from random numbers."""

    def __init__(self, p):
        super().__init__()
        self.p = p

    def forward(self, x):
        if not self.training or self.p == 0:
            return x
        keep = torch.rand(x.shape, device=x.device) >= self.p
        return x * keep / max(1 - self.p, 1e-12)


class EncoderLayer(nn.Module):
    def __init__(self, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.1):
        super().__init__()
        self.self_attention = MultiHeadAttention(d_model, num_heads)
        self.feature_transformation = PositionWiseFeedForward(d_model, d_ff)
        self.layer_norm_1 = Normalise(d_model)
        self.layer_norm_2 = Normalise(d_model)
        self.drop = Drop(dropout)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        a = self.self_attention(x, x, x, attention_mask)
        z = self.layer_norm_1(x + self.drop(a))
        f = self.feature_transformation(z)
        return self.layer_norm_2(z + self.drop(f))
