from dataclasses import dataclass


@dataclass
class EncoderConfig:
    vocab_size: int
    d_model: int
    num_heads: int
    d_ff: int
    num_layers: int
    dropout: float = 0.1
    max_len: int = 512


def sinusoids(c: EncoderConfig) -> Tensor:
    w = 10_000 ** (-torch.arange(0, c.d_model, 2) / c.d_model)
    a = torch.outer(torch.arange(c.max_len), w)
    return torch.stack([a.sin(), a.cos()], -1).flatten(1)


class Encoder(nn.Module):
    def __init__(
        self, vocab_size: int, d_model: int, num_heads: int, d_ff: int, num_layers: int,
        dropout: float = 0.1, max_len: int = 512,
    ):
        super().__init__()
        self.cfg = c = EncoderConfig(vocab_size, d_model, num_heads, d_ff, num_layers, dropout, max_len)
        self.embedding = nn.Embedding(c.vocab_size, c.d_model)
        self.pos = nn.Parameter(sinusoids(c), requires_grad=False)
        self.drop = nn.Dropout(c.dropout)
        self.layers = nn.ModuleList(
            EncoderLayer(c.d_model, c.num_heads, c.d_ff, c.dropout) for _ in range(c.num_layers)
        )

    def forward(self, tokens, attention_mask=None):
        h = self.drop(self.embedding(tokens) * self.cfg.d_model**0.5 + self.pos[: tokens.size(1)])
        for layer in self.layers:
            h = layer(h, attention_mask)
        return h
