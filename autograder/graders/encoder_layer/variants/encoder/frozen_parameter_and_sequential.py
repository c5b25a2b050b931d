import math

import torch
from torch import nn


class Stack(nn.Sequential):
    """A Sequential that hands the mask to each of its members."""

    def forward(self, x, mask=None):
        for layer in self:
            x = layer(x, mask)
        return x


class Encoder(nn.Module):
    def __init__(self, vocab_size, d_model, num_heads, d_ff, num_layers, dropout=0.1, max_len=512):
        super().__init__()
        table = torch.zeros(max_len, d_model)
        for pos in range(max_len):
            for i in range(0, d_model, 2):
                table[pos, i] = math.sin(pos / (10000 ** (i / d_model)))
                table[pos, i + 1] = math.cos(pos / (10000 ** (i / d_model)))
        self.positions = nn.Parameter(table, requires_grad=False)
        self.embedding = nn.Embedding(vocab_size, d_model)
        self.dropout = nn.Dropout(dropout)
        layers = (EncoderLayer(d_model, num_heads, d_ff, dropout) for _ in range(num_layers))
        self.layers = Stack(*layers)

    def forward(self, tokens, attention_mask=None):
        x = self.embedding(tokens).mul(math.sqrt(self.positions.size(1)))
        x = x + self.positions[: tokens.size(-1)]
        return self.layers(self.dropout(x), attention_mask)
