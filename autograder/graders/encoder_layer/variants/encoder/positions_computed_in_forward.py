import torch
import torch.nn.functional as F
from torch import Tensor, nn


def sinusoids(length: int, d_model: int) -> Tensor:
    """Sine and cosine of each angle side by side: stacked, then flattened."""
    i = torch.arange(0, d_model, 2)
    angles = torch.outer(torch.arange(length), 1 / torch.pow(10000.0, i / d_model))
    return torch.stack((angles.sin(), angles.cos()), dim=-1).flatten(1)


class Encoder(nn.Module):
    def __init__(
        self,
        vocab_size: int,
        d_model: int,
        num_heads: int,
        d_ff: int,
        num_layers: int,
        dropout: float = 0.1,
        max_len: int = 512,
    ):
        super().__init__()
        self.d_model, self.max_len, self.p = d_model, max_len, dropout
        self.embedding = nn.Embedding(vocab_size, d_model)
        self.layers = nn.ModuleList()
        for _ in range(num_layers):
            self.layers.append(EncoderLayer(d_model, num_heads, d_ff, dropout))

    def forward(self, tokens: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        if tokens.size(1) > self.max_len:
            raise ValueError(f"at most {self.max_len} tokens")
        h = self.embedding(tokens) * self.d_model**0.5 + sinusoids(tokens.size(1), self.d_model)
        h = F.dropout(h, self.p, self.training)
        for layer in self.layers:
            h = layer(h, attention_mask)
        return h
