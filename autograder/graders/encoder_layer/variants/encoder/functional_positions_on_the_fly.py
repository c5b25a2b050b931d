import torch
from torch import Tensor, nn
from torch.nn import functional as F


def sinusoid(length: int, features: int, like: Tensor) -> Tensor:
    """(length, features), computed on the fly."""
    pos = torch.arange(length, device=like.device).unsqueeze(-1)
    dim = torch.arange(features, device=like.device)
    angle = pos / 10000 ** ((dim - dim % 2) / features)
    return torch.where(dim % 2 == 0, angle.sin(), angle.cos()).to(like.dtype)


class Encoder(nn.Module):
    def __init__(
        self, vocab_size: int, d_model: int, num_heads: int, d_ff: int, num_layers: int,
        dropout: float = 0.1, max_len: int = 512,
    ):
        super().__init__()
        self.p, self.max_len = dropout, max_len
        self.embedding = nn.Embedding(vocab_size, d_model)
        self.layers = nn.ModuleList()
        for _ in range(num_layers):
            self.layers.append(EncoderLayer(d_model, num_heads, d_ff, dropout))

    def forward(self, tokens, attention_mask=None):
        n = tokens.size(-1)
        if n > self.max_len:
            raise ValueError(f"{n} tokens, at most {self.max_len} allowed")
        e = F.embedding(tokens, self.embedding.weight)
        d = e.size(-1)
        x = F.dropout(d**0.5 * e + sinusoid(n, d, e), self.p, training=self.training)
        for layer in self.layers:
            x = layer(x, attention_mask=attention_mask)
        return x
