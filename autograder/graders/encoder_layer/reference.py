"""The oracle: what a correct encoder computes, written for reading.

Constructors and `forward` take what the statement says: stand-ins read their signatures here.

Vaswani et al., "Attention Is All You Need" (2017). Post-norm, as in section 3.1.
"""

import math
import random
from typing import NamedTuple

import torch
from torch import Tensor, nn


class PositionWiseFeedForward(nn.Module):
    """FFN(x) = max(0, x W1 + b1) W2 + b2 (equation 2). x: (..., d_model) -> (..., d_model)."""

    def __init__(self, d_model: int, d_ff: int):
        super().__init__()
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)

    def forward(self, x: Tensor) -> Tensor:
        return self.linear2(self.linear1(x).relu())


def attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attention_mask: Tensor | None = None,
    mask_future: bool = False,
) -> Tensor:
    """softmax(Q K^T / sqrt(d_k)) V (equation 1), with masked keys left out.

    query: (batch, ..., query_len, d_k); key: (batch, ..., key_len, d_k); value: the same with d_v.
    attention_mask: (batch, key_len), or any shape that goes with (batch, ..., query_len, key_len);
    nonzero may be attended. Returns (batch, ..., query_len, d_v).
    """
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))  # (batch, ..., query, key)
    if attention_mask is not None:
        if attention_mask.dim() == 2:
            shape = (attention_mask.size(0), *[1] * (scores.dim() - 2), attention_mask.size(1))
            attention_mask = attention_mask.reshape(shape)
        scores = scores.masked_fill(attention_mask == 0, -math.inf)
    if mask_future:
        later = torch.ones(scores.shape[-2:], dtype=torch.bool).triu(1)
        scores = scores.masked_fill(later, -math.inf)
    return scores.softmax(-1) @ value


class Attention(nn.Module):
    """`attention` as a layer of its own."""

    def __init__(self, mask_future: bool = False):
        super().__init__()
        self.mask_future = mask_future

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, attention_mask: Tensor | None = None
    ) -> Tensor:
        return attention(query, key, value, attention_mask, self.mask_future)


class MultiHeadAttention(nn.Module):
    """Concat(head_1, ..., head_h) W^O with head_i = attention(Q W_i^Q, K W_i^K, V W_i^V).

    query: (batch, query_len, d_model); key, value: (batch, key_len, d_model).
    Returns (batch, query_len, d_model). Section 3.2.2.
    """

    attend = staticmethod(attention)

    def __init__(self, d_model: int, num_heads: int, mask_future: bool = False):
        super().__init__()
        self.num_heads, self.mask_future = num_heads, mask_future
        self.query_transform = nn.Linear(d_model, d_model, bias=False)
        self.key_transform = nn.Linear(d_model, d_model, bias=False)
        self.value_transform = nn.Linear(d_model, d_model, bias=False)
        self.output_transform = nn.Linear(d_model, d_model, bias=False)

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, attention_mask: Tensor | None = None
    ) -> Tensor:
        heads = self.attend(
            self._split(self.query_transform(query)),
            self._split(self.key_transform(key)),
            self._split(self.value_transform(value)),
            attention_mask,
            self.mask_future,
        )
        return self.output_transform(heads.transpose(1, 2).flatten(2))

    def _split(self, x: Tensor) -> Tensor:
        """(batch, seq, d_model) -> (batch, num_heads, seq, d_k)"""
        return x.unflatten(-1, (self.num_heads, -1)).transpose(1, 2)


class EncoderLayer(nn.Module):
    """LayerNorm(x + Sublayer(x)), twice (section 3.1). x: (batch, seq, d_model), returned alike."""

    def __init__(self, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.0):
        super().__init__()
        self.dropout = nn.Dropout(dropout)
        self.self_attention = MultiHeadAttention(d_model, num_heads)
        self.feature_transformation = PositionWiseFeedForward(d_model, d_ff)
        self.layer_norm_1 = nn.LayerNorm(d_model)
        self.layer_norm_2 = nn.LayerNorm(d_model)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        attended = self.self_attention(x, x, x, attention_mask)
        x = self.layer_norm_1(x + self.dropout(attended))
        return self.layer_norm_2(x + self.dropout(self.feature_transformation(x)))


def positions(max_len: int, d_model: int) -> Tensor:
    """PE(pos, 2i) = sin(pos / 10000^(2i / d_model)), PE(pos, 2i + 1) = cos(same) (section 3.5).

    Returns (max_len, d_model).
    """
    position = torch.arange(max_len).unsqueeze(1)
    rate = 10_000 ** (-torch.arange(0, d_model, 2) / d_model)
    table = torch.empty(max_len, d_model)
    table[:, 0::2] = torch.sin(position * rate)
    table[:, 1::2] = torch.cos(position * rate)[:, : d_model // 2]
    return table


class Encoder(nn.Module):
    """Embedding times sqrt(d_model), plus positions, then the stack (sections 3.1, 3.4, 3.5).

    tokens: (batch, seq) of int64. Returns (batch, seq, d_model).
    """

    def __init__(self, vocab_size: int, d_model: int, num_heads: int, d_ff: int, num_layers: int):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, d_model)
        self.layers = nn.ModuleList(
            EncoderLayer(d_model, num_heads, d_ff) for _ in range(num_layers)
        )

    def embed(self, tokens: Tensor) -> Tensor:
        d_model = self.embedding.embedding_dim
        return self.embedding(tokens) * math.sqrt(d_model) + positions(tokens.size(1), d_model)

    def forward(self, tokens: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        return self.stack(self.embed(tokens), attention_mask)

    def stack(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        for layer in self.layers:
            x = layer(x, attention_mask)
        return x


def shake(module: nn.Module) -> nn.Module:
    """Give every parameter its own random values of size one, biases and norms included."""
    with torch.no_grad():
        for parameter in module.parameters():
            scale = parameter.size(-1) ** -0.5 if parameter.dim() == 2 else 1.0
            parameter.copy_(torch.randn_like(parameter) * scale + (parameter.dim() == 1) * 0.5)
    return module.eval()


def padding(batch: int, key_len: int) -> Tensor:
    """A mask (batch, key_len) with padding here and there: never key 0, at least one other key.

    No two sentences have the same, so that the mask of one cannot stand for another's. Of many keys
    all but the first few are padding.
    """
    while True:
        mask = torch.rand(batch, key_len) < 0.6
        mask[:, 10:] = False
        mask[:, 0] = True
        mask[torch.arange(batch), torch.randint(1, key_len, (batch,))] = False
        if len(mask.unique(dim=0)) == batch:
            return mask.long()


class Sizes(NamedTuple):
    """Sizes of one question; no two of them are the same, so that a swapped axis cannot pass."""

    batch: int
    heads: int
    query_len: int
    key_len: int
    d_k: int
    d_v: int
    d_ff: int
    layers: int
    vocab: int

    @property
    def d_model(self) -> int:
        return self.heads * self.d_k


RANGES = (  # in the order of Sizes; d_k and with it d_model are even
    *(range(2, 4), range(2, 6), range(4, 8), range(5, 10), range(6, 13, 2), range(3, 12)),
    *(range(30, 50), range(3, 5), range(51, 70)),
)


def draw_sizes() -> Sizes:
    """Draw sizes from RANGES that differ pairwise, and from d_model and d_model + 1.

    Neither d_k nor d_model is a square: a root that is rounded, or a number instead of it, is seen.
    Neither d_ff nor vocab is a multiple of d_model: (3 * d_model, d_model) holds query, key and
    value in one, and is no other matrix.
    """
    dice = random.Random(int(torch.randint(1 << 31, ())))
    while True:
        taken: list[int] = []
        for choices in RANGES:
            taken.append(dice.choice([size for size in choices if size not in taken] or choices))
        drawn = Sizes(*taken)
        d_model = drawn.d_model
        is_square = math.isqrt(d_model) ** 2 == d_model
        is_multiple = drawn.d_ff % d_model == 0 or drawn.vocab % d_model == 0
        differ = len({*drawn, d_model, d_model + 1}) == len(drawn) + 2
        if differ and not is_square and not is_multiple:
            return drawn
