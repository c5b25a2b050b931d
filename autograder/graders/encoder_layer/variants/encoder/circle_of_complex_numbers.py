import torch
from torch import Tensor, nn


class Encoder(nn.Module):
    def __init__(
        self, vocab_size: int, d_model: int, num_heads: int, d_ff: int, num_layers: int,
        dropout: float = 0.1, max_len: int = 512,
    ):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, d_model)
        self.dropout = nn.Dropout(dropout)
        self.layers = nn.ModuleList(
            [EncoderLayer(d_model, num_heads, d_ff, dropout) for _ in range(num_layers)]
        )
        # points on the unit circle: real part cosine, imaginary part sine
        rates = torch.logspace(0, -1, d_model // 2 + 1, base=10000.0)[:-1]
        angles = torch.outer(torch.arange(max_len), rates)
        circle = torch.polar(torch.ones_like(angles), angles)
        table = torch.view_as_real(circle).flip(-1).flatten(-2)
        self.register_buffer("pe", table, persistent=False)

    def forward(self, tokens: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        emb = self.embedding(tokens)
        x = torch.add(self.pe[: tokens.size(1)], emb, alpha=emb.size(-1) ** 0.5)
        x = self.dropout(x)
        for layer in self.layers:
            x = layer(x, attention_mask)
        return x
