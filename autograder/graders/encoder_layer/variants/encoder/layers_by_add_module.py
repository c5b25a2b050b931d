import math
from functools import reduce

import torch
from torch import nn


class Embeddings(nn.Module):
    def __init__(self, vocab, d_model):
        super().__init__()
        self.lut = nn.Embedding(vocab, d_model)
        self.d_model = d_model

    def forward(self, x):
        return self.lut(x) * math.sqrt(self.d_model)


class Encoder(nn.Module):
    def __init__(self, vocab_size, d_model, num_heads, d_ff, num_layers, dropout=0.1, max_len=512):
        super().__init__()
        for n in range(num_layers):
            self.add_module(f"layer_{n}", EncoderLayer(d_model, num_heads, d_ff, dropout=dropout))
        self.num_layers = num_layers
        self.embed = Embeddings(vocab_size, d_model)
        self.dropout = nn.Dropout(p=dropout)
        even = torch.arange(0, d_model, 2, dtype=torch.float32)
        angle = torch.arange(max_len, dtype=torch.float32)[:, None] / 10000 ** (even / d_model)
        waves = torch.zeros((max_len, d_model), dtype=torch.float32)
        waves[:, ::2], waves[:, 1::2] = torch.sin(angle), torch.cos(angle)
        self.waves = waves  # not on a GPU, not in the state

    def forward(self, tokens, attention_mask=None):
        x = self.dropout(self.embed(tokens) + self.waves[: tokens.shape[1]])
        layers = [getattr(self, f"layer_{n}") for n in range(self.num_layers)]
        return reduce(lambda y, layer: layer(y, attention_mask), layers, x)
