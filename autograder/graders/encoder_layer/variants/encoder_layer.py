# %% assert_on_the_rate
from torch import nn


class EncoderLayer(nn.Module):
    """A rate of 1 is refused, by an assert; epsilon is that of BERT."""

    def __init__(self, d_model, num_heads, d_ff, dropout=0.1):
        super().__init__()
        assert 0 <= dropout < 1
        self.self_attention = MultiHeadAttention(d_model, num_heads)
        self.feature_transformation = PositionWiseFeedForward(d_model, d_ff)
        self.layer_norm_1 = nn.LayerNorm(d_model, eps=1e-12)
        self.layer_norm_2 = nn.LayerNorm(d_model, eps=1e-12)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, attention_mask=None):
        z = self.layer_norm_1(x + self.dropout(self.self_attention(x, x, x, attention_mask)))
        return self.layer_norm_2(z + self.dropout(self.feature_transformation(z)))


# %% dropout_in_a_sequential
import torch.nn as nn


class EncoderLayer(nn.Module):
    """The feed forward sub-layer ends with its dropout."""

    def __init__(self, d_model, num_heads, d_ff, dropout=0.1):
        super().__init__()
        self.self_attention = MultiHeadAttention(d_model, num_heads)
        self.attention_dropout = nn.Dropout(dropout)
        self.feature_transformation = nn.Sequential(
            PositionWiseFeedForward(d_model, d_ff), nn.Dropout(dropout)
        )
        self.norms = nn.ModuleList([nn.LayerNorm(d_model), nn.LayerNorm(d_model)])

    def forward(self, x, attention_mask=None):
        first, second = self.norms
        z = first(x + self.attention_dropout(self.self_attention(x, x, x, attention_mask)))
        return second(z + self.feature_transformation(z))


# %% dropout_in_place
from torch import nn


class EncoderLayer(nn.Module):
    def __init__(self, d_model, num_heads, d_ff, dropout=0.1):
        super().__init__()
        self.self_attention = MultiHeadAttention(d_model, num_heads)
        self.feature_transformation = PositionWiseFeedForward(d_model, d_ff)
        self.layer_norm_1, self.layer_norm_2 = nn.LayerNorm(d_model), nn.LayerNorm(d_model)
        self.dropout = nn.Dropout(dropout, inplace=True)

    def forward(self, x, attention_mask=None):
        z = self.self_attention(x, x, x, attention_mask)
        z = self.dropout(z)
        z += x
        z = self.layer_norm_1(z)
        out = self.dropout(self.feature_transformation(z))
        out += z
        return self.layer_norm_2(out)


# %% functional_dropout
import torch.nn.functional as F
from torch import Tensor, nn


class EncoderLayer(nn.Module):
    def __init__(self, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.p = dropout
        self.layer_norm_1 = nn.LayerNorm((d_model,))
        self.layer_norm_2 = nn.LayerNorm([d_model])
        self.self_attention = MultiHeadAttention(d_model, num_heads, mask_future=False)
        self.feature_transformation = PositionWiseFeedForward(d_model, d_ff)

    def drop(self, x: Tensor) -> Tensor:
        return F.dropout(x, p=self.p, training=self.training)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        residual = x
        x = self.drop(self.self_attention(x, x, x, attention_mask=attention_mask))
        x = residual = self.layer_norm_1(residual + x)
        x = self.drop(self.feature_transformation(x))
        return self.layer_norm_2(residual + x)


# %% helper_with_a_default_rate
from torch import nn


class AddAndNorm(nn.Module):
    """The rate has a default here, and the layer says another."""

    def __init__(self, size, rate=0.1, eps=1e-6):
        super().__init__()
        self.dropout = nn.Dropout(rate)
        self.norm = nn.LayerNorm(size, eps=eps)

    def forward(self, x, update):
        return self.norm(x + self.dropout(update))


class EncoderLayer(nn.Module):
    def __init__(self, d_model, num_heads, d_ff, dropout=0.1):
        super().__init__()
        self.self_attention = MultiHeadAttention(d_model, num_heads)
        self.feature_transformation = PositionWiseFeedForward(d_model, d_ff)
        self.add_norm_1 = AddAndNorm(d_model, rate=dropout)
        self.add_norm_2 = AddAndNorm(d_model, rate=dropout)

    def forward(self, x, attention_mask=None):
        x = self.add_norm_1(x, self.self_attention(x, x, x, attention_mask))
        return self.add_norm_2(x, self.feature_transformation(x))


# %% norms_in_a_list_too
import torch.nn as nn


class EncoderLayer(nn.Module):
    def __init__(self, d_model, num_heads, d_ff, dropout=0.1):
        super().__init__()
        self.attn = MultiHeadAttention(d_model, num_heads)
        self.ffn = PositionWiseFeedForward(d_model, d_ff)
        self.attn_ln = nn.LayerNorm(d_model)
        self.ffn_ln = nn.LayerNorm(d_model)
        self.lns = nn.ModuleList([self.attn_ln, self.ffn_ln])
        self.drop = nn.Dropout(dropout)

    def forward(self, x, attention_mask=None):
        sublayers = (lambda x: self.attn(x, x, x, attention_mask)), self.ffn
        for sublayer, ln in zip(sublayers, self.lns):
            x = ln(x + self.drop(sublayer(x)))
        return x


# %% own_layer_norm_a_2_b_2
import torch
import torch.nn as nn


class LayerNorm(nn.Module):
    "Construct a layernorm module (biased variance, epsilon below the root)."

    def __init__(self, features, eps=1e-5):
        super(LayerNorm, self).__init__()
        self.b_2 = nn.Parameter(torch.zeros(features))
        self.a_2 = nn.Parameter(torch.ones(features))
        self.eps = eps

    def forward(self, x):
        centered = x - x.mean(-1, keepdim=True)
        return self.a_2 * centered * torch.rsqrt(centered.pow(2).mean(-1, True) + self.eps) + self.b_2


class EncoderLayer(nn.Module):
    def __init__(self, size, h, d_ff, dropout=0.1):
        super(EncoderLayer, self).__init__()
        self.self_attn = MultiHeadAttention(size, h)
        self.feed_forward = PositionWiseFeedForward(size, d_ff)
        self.norm2 = LayerNorm(size)
        self.norm1 = LayerNorm(size)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, mask=None):
        x = self.norm1(x + self.dropout(self.self_attn(x, x, x, mask)))
        return self.norm2(x + self.dropout(self.feed_forward(x)))


# %% own_layer_norm_bias_and_w
import torch
from torch import nn
from torch.nn import functional as F


class Norm(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.b = nn.Parameter(torch.zeros(n))
        self.w = nn.Parameter(torch.ones(n))

    def forward(self, x):
        return F.layer_norm(x, x.shape[-1:], self.w, self.b)


class EncoderLayer(nn.Module):
    def __init__(self, d_model, num_heads, d_ff, dropout=0.1):
        super().__init__()
        self.self_attention = MultiHeadAttention(d_model, num_heads)
        self.feature_transformation = PositionWiseFeedForward(d_model, d_ff)
        self.layer_norm_1, self.layer_norm_2 = Norm(d_model), Norm(d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, attention_mask=None):
        x = self.layer_norm_1(x + self.dropout(self.self_attention(x, x, x, attention_mask)))
        return self.layer_norm_2(x + self.dropout(self.feature_transformation(x)))


# %% own_layer_norm_gamma_beta
import torch
from torch import nn


class LayerNorm(nn.Module):
    def __init__(self, features, eps=1e-5):
        super().__init__()
        self.beta = nn.Parameter(torch.zeros(features))
        self.gamma = nn.Parameter(torch.ones(features))
        self.eps = eps

    def forward(self, x):
        mean = x.mean(-1, keepdim=True)
        var = x.var(-1, unbiased=False, keepdim=True)
        return self.gamma * (x - mean) / torch.sqrt(var + self.eps) + self.beta


class EncoderLayer(nn.Module):
    def __init__(self, d_model, num_heads, d_ff, dropout=0.1):
        super().__init__()
        self.self_attention = MultiHeadAttention(d_model, num_heads)
        self.layer_norm_1 = LayerNorm(d_model)
        self.feature_transformation = PositionWiseFeedForward(d_model, d_ff)
        self.layer_norm_2 = LayerNorm(d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, attention_mask=None):
        x = self.layer_norm_1(x + self.dropout(self.self_attention(x, x, x, attention_mask)))
        x = self.layer_norm_2(x + self.dropout(self.feature_transformation(x)))
        return x


# %% own_layer_norm_with_three_axes
import torch
from torch import nn


class LayerNorm(nn.Module):
    """Scale and shift lie along the last of three axes, (1, 1, d_model)."""

    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.gamma = nn.Parameter(torch.ones(1, 1, d_model))
        self.beta = nn.Parameter(torch.zeros(1, 1, d_model))
        self.eps = eps

    def forward(self, x):
        var, mean = torch.var_mean(x, dim=-1, correction=0, keepdim=True)
        return (x - mean) / (var + self.eps).sqrt() * self.gamma + self.beta


class EncoderLayer(nn.Module):
    def __init__(self, d_model, num_heads, d_ff, dropout=0.1):
        super().__init__()
        self.self_attention = MultiHeadAttention(d_model, num_heads)
        self.feature_transformation = PositionWiseFeedForward(d_model, d_ff)
        self.layer_norm_1 = LayerNorm(d_model)
        self.layer_norm_2 = LayerNorm(d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, attention_mask=None):
        z = self.layer_norm_1(x + self.dropout(self.self_attention(x, x, x, attention_mask)))
        return self.layer_norm_2(z + self.dropout(self.feature_transformation(z)))


# %% residual_wrappers
from collections.abc import Callable

from torch import Tensor, nn


class AddAndNorm(nn.Module):
    def __init__(self, d_model: int, dropout: float):
        super().__init__()
        self.dropout = nn.Dropout(dropout)
        self.layer_norm = nn.LayerNorm(d_model)

    def forward(self, x: Tensor, update: Tensor) -> Tensor:
        return self.layer_norm(self.dropout(update) + x)


class Residual(nn.Module):
    """Wraps a sub-layer: norm(x + dropout(sublayer(x, ...)))"""

    def __init__(self, sublayer: Callable, d_model: int, dropout: float):
        super().__init__()
        self.sublayer = sublayer
        self.add_norm = AddAndNorm(d_model, dropout)

    def forward(self, x: Tensor, *others, **named) -> Tensor:
        return self.add_norm(x, self.sublayer(x, *others, **named))


class EncoderLayer(nn.Module):
    def __init__(self, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.1):
        super().__init__()
        self.attend = Residual(MultiHeadAttention(d_model, num_heads), d_model, dropout)
        self.transform = Residual(PositionWiseFeedForward(d_model, d_ff), d_model, dropout)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        return self.transform(self.attend(x, x, x, attention_mask=attention_mask))


# %% self_attention_of_its_own
import math

import torch
from torch import nn


class SelfAttention(nn.Module):
    """All in one place, without the classes from above; drops weights at the layer's rate."""

    def __init__(self, d_model, num_heads, dropout):
        super().__init__()
        self.num_heads = num_heads
        self.q = nn.Linear(d_model, d_model, bias=False)
        self.k = nn.Linear(d_model, d_model, bias=False)
        self.v = nn.Linear(d_model, d_model, bias=False)
        self.o = nn.Linear(d_model, d_model, bias=False)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, mask=None):
        b, n, d = x.shape
        q, k, v = (f(x).view(b, n, self.num_heads, -1).transpose(1, 2) for f in (self.q, self.k, self.v))
        scores = q @ k.transpose(2, 3) / math.sqrt(d // self.num_heads)
        if mask is not None:
            scores = scores.masked_fill(mask[:, None, None] == 0, -math.inf)
        weights = self.dropout(torch.softmax(scores, dim=3))
        return self.o((weights @ v).transpose(1, 2).reshape(b, n, d))


class EncoderLayer(nn.Module):
    def __init__(self, d_model, num_heads, d_ff, dropout=0.1):
        super().__init__()
        self.self_attention = SelfAttention(d_model, num_heads, dropout)
        self.feature_transformation = nn.Sequential(
            nn.Linear(d_model, d_ff), nn.ReLU(), nn.Dropout(dropout), nn.Linear(d_ff, d_model)
        )
        self.layer_norm_1 = nn.LayerNorm(d_model)
        self.layer_norm_2 = nn.LayerNorm(d_model)
        self.drop_1 = nn.Dropout(dropout)
        self.drop_2 = nn.Dropout(dropout)

    def forward(self, x, attention_mask=None):
        x = self.layer_norm_1(x + self.drop_1(self.self_attention(x, attention_mask)))
        return self.layer_norm_2(x + self.drop_2(self.feature_transformation(x)))


# %% sublayer_connection
import copy

import torch.nn as nn


def clones(module, N):
    return nn.ModuleList([copy.deepcopy(module) for _ in range(N)])


class SublayerConnection(nn.Module):
    """A residual connection followed by a layer norm."""

    def __init__(self, size, dropout):
        super(SublayerConnection, self).__init__()
        self.norm = nn.LayerNorm(size)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, sublayer):
        return self.norm(x + self.dropout(sublayer(x)))


class EncoderLayer(nn.Module):
    def __init__(self, d_model, num_heads, d_ff, dropout=0.1):
        super(EncoderLayer, self).__init__()
        self.self_attention = MultiHeadAttention(d_model, num_heads)
        self.feature_transformation = PositionWiseFeedForward(d_model, d_ff)
        self.sublayer = clones(SublayerConnection(d_model, dropout), 2)
        self.size = d_model

    def forward(self, x, mask=None):
        x = self.sublayer[0](x, lambda x: self.self_attention(x, x, x, mask))
        return self.sublayer[1](x, self.feature_transformation)


# %% two_dropouts
import torch.nn as nn


class EncoderLayer(nn.Module):
    def __init__(self, d_model, num_heads, d_ff, dropout=0.1):
        super().__init__()
        self.feature_transformation = PositionWiseFeedForward(d_ff=d_ff, d_model=d_model)
        self.self_attention = MultiHeadAttention(num_heads=num_heads, d_model=d_model)
        self.layer_norm_1 = nn.LayerNorm(d_model, eps=1e-6)
        self.layer_norm_2 = nn.LayerNorm(d_model, eps=1e-6)
        self.dropout1 = nn.Dropout(dropout)
        self.dropout2 = nn.Dropout(dropout)

    def forward(self, x, attention_mask=None):
        attended = self.self_attention(query=x, key=x, value=x, attention_mask=attention_mask)
        x = self.layer_norm_1(x + self.dropout1(attended))
        transformed = self.feature_transformation(x)
        return self.layer_norm_2(x + self.dropout2(transformed))
