import math

import torch
from torch import Tensor, nn


class Encoder(nn.Module):
    def __init__(
        self, vocab_size: int, d_model: int, num_heads: int, d_ff: int, num_layers: int,
        dropout: float = 0.1, max_len: int = 512,
    ):
        super().__init__()
        self.n_layers = num_layers
        self.root = math.sqrt(d_model)
        self.embedding = nn.Embedding(vocab_size, d_model)
        self.dropout = nn.Dropout(dropout)
        self.layers = nn.ModuleList()
        n = 0
        while n < num_layers:
            self.layers.append(EncoderLayer(d_model, num_heads, d_ff, dropout))
            n += 1

        pe = [[0.0] * d_model for _ in range(max_len)]
        for i in range(d_model // 2):
            div = 10000.0 ** (2 * i / d_model)
            for pos in range(max_len):
                pe[pos][2 * i] = math.sin(pos / div)
                pe[pos][2 * i + 1] = math.cos(pos / div)
        self.register_buffer("pe", torch.tensor(pe))

    def forward(self, tokens: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        h = self.embedding(tokens) * self.root
        h = h + self.pe[0 : tokens.shape[1]]
        h = self.dropout(h)
        for i in range(0, self.n_layers):
            h = self.layers[i](h, attention_mask)
        return h
