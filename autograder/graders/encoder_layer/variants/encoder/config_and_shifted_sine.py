import math
from dataclasses import dataclass

import torch
import torch.nn as nn


@dataclass
class EncoderConfig:
    vocab_size: int
    d_model: int
    num_heads: int
    d_ff: int
    num_layers: int
    dropout: float = 0.1
    max_len: int = 512


class FixedPositions(nn.Module):
    """cos(a) = sin(a + pi / 2), so one sine is enough."""

    def __init__(self, max_len, d_model):
        super().__init__()
        feature = torch.arange(d_model)
        rate = torch.exp(-math.log(10_000) * (feature - feature % 2) / d_model)
        phase = (feature % 2) * (math.pi / 2)
        table = torch.sin(torch.arange(max_len).unsqueeze(1) * rate + phase)
        self.register_buffer("table", table.unsqueeze(0), persistent=False)

    def forward(self, x):
        return x + self.table[:, : x.shape[1], :]


class Encoder(nn.Module):
    def __init__(self, *args, **kwargs):
        super().__init__()
        self.config = c = EncoderConfig(*args, **kwargs)
        self.embedding = nn.Embedding(c.vocab_size, c.d_model)
        self.pos = FixedPositions(c.max_len, c.d_model)
        self.dropout = nn.Dropout(c.dropout)
        self.layers = nn.ModuleList(
            [EncoderLayer(c.d_model, c.num_heads, c.d_ff, c.dropout) for _ in range(c.num_layers)]
        )

    def forward(self, tokens, attention_mask=None):
        x = self.dropout(self.pos(self.embedding(tokens) * self.config.d_model**0.5))
        for i in range(len(self.layers)):
            x = self.layers[i](x, attention_mask)
        return x
