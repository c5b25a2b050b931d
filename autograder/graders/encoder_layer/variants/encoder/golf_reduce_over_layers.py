from functools import reduce

import torch
from torch import nn


class Encoder(nn.Module):
    def __init__(
        self, vocab_size: int, d_model: int, num_heads: int, d_ff: int, num_layers: int,
        dropout: float = 0.1, max_len: int = 512,
    ):
        super().__init__()
        self.embedding, self.drop = nn.Embedding(vocab_size, d_model), nn.Dropout(dropout)
        self.layers = nn.ModuleList(EncoderLayer(d_model, num_heads, d_ff, dropout) for _ in range(num_layers))
        a = torch.outer(torch.arange(max_len).double(), 1e4 ** -torch.arange(0, 1, 2 / d_model, dtype=torch.double)[: d_model // 2])
        self.pe = torch.view_as_real(torch.complex(a.sin(), a.cos())).flatten(1).float()  # sin, cos, sin, cos, ...

    def forward(self, tokens, attention_mask=None):
        x = self.drop(self.embedding(tokens) * self.pe.shape[1] ** 0.5 + self.pe[: tokens.shape[1]].to(tokens.device))
        return reduce(lambda h, layer: layer(h, attention_mask), self.layers, x)
