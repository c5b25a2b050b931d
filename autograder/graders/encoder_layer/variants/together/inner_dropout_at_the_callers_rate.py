# %% attention
import math

import torch
from torch import nn


class Attention(nn.Module):
    def __init__(self, mask_future=False, dropout=0.0):
        super().__init__()
        self.mask_future = mask_future
        self.dropout = nn.Dropout(dropout)

    def forward(self, query, key, value, attention_mask=None):
        scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
        if attention_mask is not None:
            shape = [-1] + [1] * (scores.dim() - 2) + [key.size(-2)]
            scores = scores.masked_fill(attention_mask.view(shape) == 0, -math.inf)
        if self.mask_future:
            scores = scores.masked_fill(torch.ones(scores.shape[-2:]).tril() == 0, -math.inf)
        return self.dropout(scores.softmax(dim=-1)) @ value


# %% encoder_layer
from torch import nn


class EncoderLayer(nn.Module):
    """Dropout in four places, all at one rate: inside and at the end of each sub-layer."""

    def __init__(self, d_model, num_heads, d_ff, dropout=0.1):
        super().__init__()
        self.self_attention = MultiHeadAttention(d_model, num_heads, attention_dropout=dropout)
        self.feature_transformation = PositionWiseFeedForward(d_model, d_ff, dropout)
        self.layer_norm_1 = nn.LayerNorm(d_model)
        self.layer_norm_2 = nn.LayerNorm(d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, attention_mask=None):
        z = self.layer_norm_1(x + self.dropout(self.self_attention(x, x, x, attention_mask)))
        return self.layer_norm_2(z + self.dropout(self.feature_transformation(z)))


# %% feed_forward
from collections import OrderedDict

from torch import nn


class PositionWiseFeedForward(nn.Sequential):
    def __init__(self, d_model, d_ff, dropout=0.0):
        members = OrderedDict()
        members["linear1"] = nn.Linear(d_model, d_ff)
        members["relu"] = nn.ReLU()
        members["dropout"] = nn.Dropout(dropout)
        members["linear2"] = nn.Linear(d_ff, d_model)
        super().__init__(members)


# %% multi_head_attention
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads, mask_future=False, attention_dropout=0.0):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError("d_model is no multiple of num_heads")
        self.num_heads = num_heads
        self.query_transform = nn.Linear(d_model, d_model, bias=False)
        self.key_transform = nn.Linear(d_model, d_model, bias=False)
        self.value_transform = nn.Linear(d_model, d_model, bias=False)
        self.output_transform = nn.Linear(d_model, d_model, bias=False)
        self.attention = Attention(mask_future, attention_dropout)

    def split(self, x):
        return x.reshape(*x.shape[:2], self.num_heads, -1).permute(0, 2, 1, 3)

    def forward(self, query, key, value, attention_mask=None):
        q = self.split(self.query_transform(query))
        k = self.split(self.key_transform(key))
        v = self.split(self.value_transform(value))
        out = self.attention(q, k, v, attention_mask).permute(0, 2, 1, 3)
        return self.output_transform(out.reshape(query.shape))
