"""What correct solutions of `modern-block` compute, for reading.

Constructors and `forward` take what the statement says: stand-ins read their signatures here.

Zhang and Sennrich, "Root Mean Square Layer Normalization" (2019), equation 4; Shazeer, "GLU Variants
Improve Transformer" (2020), equation 6; Xiong et al., "On Layer Normalization in the Transformer
Architecture" (2020), section 3; Jiang et al., "Pre-RMSNorm and Pre-CRMSNorm Transformers" (2023).
"""

from collections.abc import Callable, Sequence

import torch
from torch import Tensor, nn
from torch.nn import functional as F

EPS = 1e-5
KINDS = "pre-norm", "post-norm", "residual from the normed input", "no residual"

PARAMETERS = {
    "2017": {
        "attention": 6 * 4 * 512 * 512,
        "feed forward": 6 * 2 * 512 * 2048,
        "norms": 6 * 2 * 512,
        "biases": 6 * (2048 + 512 + 2 * 512),
        "embedding": 37_000 * 512,
    },
    "today": {
        "d_ff": 1728,  # 2/3 of 4 * 640 is 1706.7
        "attention": 12 * 4 * 640 * 640,
        "feed forward": 12 * 3 * 640 * 1728,
        "norms": (12 * 2 + 1) * 640,
        "embedding": 32_000 * 640,
    },
}


class RMSNorm(nn.Module):
    """gamma * x / sqrt(mean(x^2) + eps), in float32 or wider. x: (..., d_model) -> the same."""

    def __init__(self, d_model: int, eps: float = EPS):
        super().__init__()
        self.gamma = nn.Parameter(torch.ones(d_model))
        self.eps = eps

    def forward(self, x: Tensor) -> Tensor:
        wide = x if x.dtype == torch.float64 else x.float()
        root = torch.sqrt(wide.square().mean(dim=-1, keepdim=True) + self.eps)
        return (self.gamma * wide / root).to(x.dtype)


def fold_centering(linear: nn.Linear) -> nn.Linear:
    """A new layer whose answers are those of `linear` less the mean of each: (..., in) -> (..., out)."""
    has_bias = linear.bias is not None
    folded = nn.Linear(linear.in_features, linear.out_features, has_bias, dtype=linear.weight.dtype)
    folded.weight.data.copy_(linear.weight - linear.weight.mean(dim=0))
    if has_bias:
        folded.bias.data.copy_(linear.bias - linear.bias.mean())
    return folded


class SwiGLU(nn.Module):
    """down(silu(gate(x)) * up(x)). x: (..., d_model) -> the same."""

    def __init__(self, d_model: int, d_ff: int):
        super().__init__()
        self.gate = nn.Linear(d_model, d_ff, bias=False)
        self.up = nn.Linear(d_model, d_ff, bias=False)
        self.down = nn.Linear(d_ff, d_model, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        return self.down(F.silu(self.gate(x)) * self.up(x))


class PreNormFeedForward(nn.Module):
    """x + linear2(relu(linear1(norm(x)))). x: (batch, seq, d_model) -> the same."""

    def __init__(self, d_model: int, d_ff: int):
        super().__init__()
        self.norm = nn.LayerNorm(d_model)
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)

    def forward(self, x: Tensor) -> Tensor:
        return x + self.linear2(torch.relu(self.linear1(self.norm(x))))


class MultiHeadAttention(nn.Module):
    """What the notebook gives. query: (batch, query_len, d_model), key and value: (batch, key_len,
    d_model), attention_mask: (batch, key_len) -> (batch, query_len, d_model).
    """

    def __init__(self, d_model: int, num_heads: int):
        super().__init__()
        self.num_heads = num_heads
        self.query_transform = nn.Linear(d_model, d_model, bias=False)
        self.key_transform = nn.Linear(d_model, d_model, bias=False)
        self.value_transform = nn.Linear(d_model, d_model, bias=False)
        self.output_transform = nn.Linear(d_model, d_model, bias=False)

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, attention_mask: Tensor | None = None
    ) -> Tensor:
        projected = (
            self.query_transform(query),
            self.key_transform(key),
            self.value_transform(value),
        )
        split = (x.unflatten(-1, (self.num_heads, -1)).transpose(1, 2) for x in projected)
        query, key, value = split  # (batch, num_heads, seq, d_k)
        mask = None if attention_mask is None else attention_mask.bool()[:, None, None]
        attended = F.scaled_dot_product_attention(query, key, value, mask)
        return self.output_transform(attended.transpose(1, 2).flatten(-2))


class ModernBlock(nn.Module):
    """h = x + attention(norm_1(x)), then h + feed_forward(norm_2(h)).

    x: (batch, seq, d_model), attention_mask: (batch, seq) -> (batch, seq, d_model).
    """

    def __init__(self, d_model: int, num_heads: int, d_ff: int):
        super().__init__()
        self.norm_1 = RMSNorm(d_model)
        self.attention = MultiHeadAttention(d_model, num_heads)
        self.norm_2 = RMSNorm(d_model)
        self.feed_forward = SwiGLU(d_model, d_ff)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        normed = self.norm_1(x)
        h = x + self.attention(normed, normed, normed, attention_mask)
        return h + self.feed_forward(self.norm_2(h))


class ModernStack(nn.Module):
    """num_layers blocks, then a norm. x: (batch, seq, d_model), attention_mask: (batch, seq)."""

    def __init__(self, d_model: int, num_heads: int, d_ff: int, num_layers: int):
        super().__init__()
        self.blocks = nn.ModuleList(
            ModernBlock(d_model, num_heads, d_ff) for _ in range(num_layers)
        )
        self.norm = RMSNorm(d_model)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        for block in self.blocks:
            x = block(x, attention_mask)
        return self.norm(x)


Block = Callable[[Tensor], Tensor]


def gradient_by_layer(blocks: Sequence[Block], x: Tensor, upstream: Tensor) -> Tensor:
    """The norm of the gradient of (upstream * output).sum() with respect to what enters each block.

    x, upstream: (batch, seq, d_model) -> (len(blocks),).
    """
    places = []
    value = x.detach()
    for block in blocks:
        value = value.clone()
        value = value if value.requires_grad else value.requires_grad_()
        places.append(value)
        value = block(value)
    total = (upstream * value).sum()
    if not total.requires_grad:
        return x.new_zeros(len(places))
    gradients = torch.autograd.grad(total, places, allow_unused=True)
    return torch.stack([x.new_zeros(()) if one is None else one.norm() for one in gradients])


def kind_of_block(block: Block, x: Tensor) -> str:
    """Which of `KINDS` a block is, asked from outside. block: (batch, seq, d_model) -> the same."""
    large = 100 * (torch.randn_like(x) + torch.randn_like(x[..., :1]))
    answer = block(large)
    size = answer.square().mean().sqrt()
    if size > 10:
        return "pre-norm"
    if size < 0.5:
        return "no residual"
    far = (answer.var(dim=-1, correction=0) - 1).abs().max() + answer.mean(dim=-1).abs().max()
    return "post-norm" if far < 1e-3 else "residual from the normed input"
