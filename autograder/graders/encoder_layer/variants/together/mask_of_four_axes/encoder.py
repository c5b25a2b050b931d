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
