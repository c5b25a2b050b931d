class PositionTable(nn.Module):
    """The fixed table of positions."""

    BASE: float = 10000.0

    def __init__(self, max_len: int, d_model: int) -> None:
        super().__init__()
        rows: list[list[float]] = []
        for position in range(max_len):
            row: list[float] = []
            for i in range(d_model // 2):
                angle: float = position / math.pow(self.BASE, 2.0 * i / d_model)
                row.append(math.sin(angle))
                row.append(math.cos(angle))
            rows.append(row)
        self.register_buffer("_table", torch.tensor(rows))

    def get_max_len(self) -> int:
        return self._table.size(0)

    def get_positions(self, length: int) -> Tensor:
        if length > self.get_max_len():
            raise ValueError("sequence longer than max_len")
        return self._table.narrow(0, 0, length)


class Encoder(nn.Module):
    """Embedding times sqrt(d_model), plus positions, dropout, then num_layers encoder layers."""

    def __init__(
        self, vocab_size: int, d_model: int, num_heads: int, d_ff: int, num_layers: int,
        dropout: float = 0.1, max_len: int = 512,
    ) -> None:
        super(Encoder, self).__init__()
        self._scale: float = math.sqrt(d_model)
        self.embedding = nn.Embedding(num_embeddings=vocab_size, embedding_dim=d_model)
        self._positions = PositionTable(max_len, d_model)
        self._dropout = nn.Dropout(dropout)
        self.layers = nn.ModuleList(
            [self.__create_layer(d_model, num_heads, d_ff, dropout) for _ in range(num_layers)]
        )

    @staticmethod
    def __create_layer(d_model: int, num_heads: int, d_ff: int, dropout: float) -> EncoderLayer:
        return EncoderLayer(d_model=d_model, num_heads=num_heads, d_ff=d_ff, dropout=dropout)

    def forward(self, tokens: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        hidden: Tensor = self.embedding(tokens).mul(self._scale)
        hidden = hidden.add(self._positions.get_positions(tokens.size(1)))
        hidden = self._dropout(hidden)
        for layer in self.layers:
            hidden = layer(hidden, attention_mask=attention_mask)
        return hidden
