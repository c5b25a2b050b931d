import numpy as np
import torch
from torch import Tensor, nn


class Encoder(nn.Module):
    def __init__(
        self, vocab_size: int, d_model: int, num_heads: int, d_ff: int, num_layers: int,
        dropout: float = 0.1, max_len: int = 512,
    ):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, d_model)
        pos = np.arange(max_len)
        freq = 10000.0 ** (-np.arange(0, d_model, 2) / d_model)
        angles = np.outer(pos, freq)
        table = np.empty((max_len, d_model))
        table[:, 0::2] = np.sin(angles)
        table[:, 1::2] = np.cos(angles)
        self.positions = nn.Parameter(torch.tensor(table, dtype=torch.float32), requires_grad=False)
        self.scale = float(np.sqrt(d_model))
        self.drop = nn.Dropout(dropout)
        layers = [EncoderLayer(d_model, num_heads, d_ff, dropout) for _ in range(num_layers)]
        self.layers = nn.ModuleList(layers)

    def forward(self, tokens: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        batch, seq = tokens.shape
        x = self.embedding(tokens) * self.scale + self.positions[None, :seq]
        x = self.drop(x)
        for layer in self.layers:
            x = layer(x, attention_mask)
        return x
