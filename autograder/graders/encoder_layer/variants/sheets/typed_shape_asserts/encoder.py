from jaxtyping import Bool, Float, Int


def position_table(max_len: int, d_model: int) -> Float[Tensor, "max_len d_model"]:
    assert d_model % 2 == 0, d_model
    position: Float[Tensor, "max_len 1"] = torch.arange(max_len, dtype=torch.float32)[:, None]
    even: Float[Tensor, "half"] = torch.arange(0, d_model, 2, dtype=torch.float32)
    angle: Float[Tensor, "max_len half"] = position / torch.pow(10000.0, even / d_model)
    assert angle.shape == (max_len, d_model // 2)
    table = torch.zeros(max_len, d_model)
    table[:, 0::2] = angle.sin()
    table[:, 1::2] = angle.cos()
    return table


class Encoder(nn.Module):
    embedding: nn.Embedding
    layers: nn.ModuleList
    positions: Float[Tensor, "max_len d_model"]

    def __init__(
        self,
        vocab_size: int,
        d_model: int,
        num_heads: int,
        d_ff: int,
        num_layers: int,
        dropout: float = 0.1,
        max_len: int = 512,
    ) -> None:
        super().__init__()
        self.d_model: int = d_model
        self.max_len: int = max_len
        self.embedding = nn.Embedding(vocab_size, d_model)
        self.register_buffer("positions", position_table(max_len, d_model), persistent=False)
        self.dropout: nn.Dropout = nn.Dropout(p=dropout)
        self.layers = nn.ModuleList(
            [EncoderLayer(d_model, num_heads, d_ff, dropout) for _ in range(num_layers)]
        )

    def forward(
        self,
        tokens: Int[Tensor, "batch seq"],
        attention_mask: Bool[Tensor, "batch seq"] | Int[Tensor, "batch seq"] | None = None,
    ) -> Float[Tensor, "batch seq d_model"]:
        batch, seq = tokens.shape
        assert seq <= self.max_len, f"{seq} > {self.max_len}"
        assert attention_mask is None or attention_mask.shape == tokens.shape

        embedded: Float[Tensor, "batch seq d_model"] = self.embedding(tokens) * math.sqrt(self.d_model)
        assert embedded.shape == (batch, seq, self.d_model)
        hidden: Float[Tensor, "batch seq d_model"] = self.dropout(embedded + self.positions[:seq])
        for layer in self.layers:
            hidden = layer(hidden, attention_mask)
            assert hidden.shape == embedded.shape
        return hidden
