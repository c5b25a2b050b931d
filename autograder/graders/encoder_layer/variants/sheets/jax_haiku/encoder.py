from functools import partial, reduce


def position_code(pos: Tensor, feature: Tensor, d_model: int) -> Tensor:
    """One entry of the table of positions; both arguments are scalars."""
    angle = pos / 10000.0 ** ((feature - feature % 2) / d_model)
    return torch.where(feature % 2 == 0, torch.sin(angle), torch.cos(angle))


def position_table(length: int, d_model: int, device=None) -> Tensor:
    f = partial(position_code, d_model=d_model)
    over_features = torch.vmap(f, in_dims=(None, 0))
    over_both = torch.vmap(over_features, in_dims=(0, None))
    return over_both(
        torch.arange(length, device=device, dtype=torch.float32),
        torch.arange(d_model, device=device),
    )


class Encoder(nn.Module):
    """Embedding times sqrt(d_model), plus positions, dropout, then num_layers encoder layers."""

    def __init__(
        self, vocab_size: int, d_model: int, num_heads: int, d_ff: int, num_layers: int,
        dropout: float = 0.1, max_len: int = 512,
    ):
        super().__init__()
        self.d_model, self.rate, self.max_len = d_model, dropout, max_len
        self.embedding = nn.Embedding(vocab_size, d_model)
        self.layers = nn.ModuleList(
            EncoderLayer(d_model, num_heads, d_ff, dropout) for _ in range(num_layers)
        )

    def forward(self, tokens: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        # no state: the positions are computed anew each time
        embedded = math.sqrt(self.d_model) * self.embedding.weight[tokens.long()]
        positions = position_table(tokens.shape[-1], self.d_model, tokens.device)
        h = F.dropout(embedded + positions.to(embedded.dtype), self.rate, self.training)
        return reduce(lambda carry, layer: layer(carry, attention_mask), self.layers, h)
