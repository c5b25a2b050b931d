# %% attention
import math

import torch
from torch import nn


class Attention(nn.Module):
    def __init__(self, mask_future=False):
        super().__init__()
        self.mask_future = mask_future

    def forward(self, query, key, value, attention_mask=None):
        scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
        if attention_mask is not None:
            if attention_mask.dim() == 2:  # else it fits already
                attention_mask = attention_mask.view(-1, *[1] * (scores.dim() - 2), scores.size(-1))
            scores = scores.masked_fill(attention_mask == 0, -math.inf)
        if self.mask_future:
            scores = scores.masked_fill(torch.ones(scores.shape[-2:]).triu(1) == 1, -math.inf)
        return scores.softmax(dim=-1) @ value


# %% encoder
import math

import torch
from torch import nn


class Encoder(nn.Module):
    """Reshapes the mask once, for all layers."""

    def __init__(self, vocab_size, d_model, num_heads, d_ff, num_layers, dropout=0.1, max_len=512):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, d_model)
        self.dropout = nn.Dropout(dropout)
        self.layers = nn.ModuleList(
            EncoderLayer(d_model, num_heads, d_ff, dropout) for _ in range(num_layers)
        )
        angles = torch.arange(max_len)[:, None] * 10000 ** (-torch.arange(0, d_model, 2) / d_model)
        self.register_buffer("positions", torch.stack([angles.sin(), angles.cos()], 2).flatten(1))

    def forward(self, tokens, attention_mask=None):
        if attention_mask is not None:
            attention_mask = attention_mask.bool().unsqueeze(1).unsqueeze(2)
        x = self.embedding(tokens) * math.sqrt(self.embedding.embedding_dim)
        x = self.dropout(x + self.positions[: tokens.size(1)])
        for layer in self.layers:
            x = layer(x, attention_mask)
        return x


# %% multi_head_attention
import torch.nn as nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads, mask_future=False):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError("d_model % num_heads != 0")
        self.num_heads = num_heads
        self.query_transform = nn.Linear(d_model, d_model, bias=False)
        self.key_transform = nn.Linear(d_model, d_model, bias=False)
        self.value_transform = nn.Linear(d_model, d_model, bias=False)
        self.output_transform = nn.Linear(d_model, d_model, bias=False)
        self.attention = Attention(mask_future)

    def forward(self, query, key, value, attention_mask=None):
        if attention_mask is not None and attention_mask.dim() == 2:
            attention_mask = attention_mask[:, None, None, :]
        batch = len(query)
        q, k, v = (
            linear(x).reshape(batch, x.size(1), self.num_heads, -1).transpose(1, 2)
            for linear, x in (
                (self.query_transform, query),
                (self.key_transform, key),
                (self.value_transform, value),
            )
        )
        heads = self.attention(q, k, v, attention_mask)
        return self.output_transform(heads.transpose(1, 2).reshape(batch, query.size(1), -1))
