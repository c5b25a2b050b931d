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
