class SinusoidalPositionalEncoding(nn.Module):
    """Fixed sinusoidal positions, added to the embeddings and followed by dropout."""

    def __init__(self, d_model: int, dropout: float, max_len: int):
        super().__init__()
        self.dropout = nn.Dropout(p=dropout)
        position = torch.arange(max_len, dtype=torch.float32).unsqueeze(1)  # (max_len, 1)
        even_feature = torch.arange(0, d_model, 2, dtype=torch.float32)  # 2i: (d_model / 2,)
        inverse_frequency = torch.pow(10000.0, even_feature / d_model)
        pe = torch.zeros(1, max_len, d_model)
        pe[0, :, 0::2] = torch.sin(position / inverse_frequency)
        pe[0, :, 1::2] = torch.cos(position / inverse_frequency)
        self.register_buffer("pe", pe)

    def forward(self, x: Tensor) -> Tensor:
        if x.size(1) > self.pe.size(1):
            raise ValueError(f"sequence of {x.size(1)} tokens exceeds max_len {self.pe.size(1)}")
        return self.dropout(x + self.pe[:, : x.size(1)].to(dtype=x.dtype))


class Encoder(nn.Module):
    """Transformer encoder.

    Args:
        vocab_size: Number of different tokens.
        d_model: Number of features of a token.
        num_heads: Number of attention heads.
        d_ff: Hidden units of the feed forward networks.
        num_layers: Number of encoder layers.
        dropout: Dropout probability.
        max_len: Length of the longest sequence.
    """

    def __init__(
        self, vocab_size: int, d_model: int, num_heads: int, d_ff: int, num_layers: int,
        dropout: float = 0.1, max_len: int = 512,
    ):
        super().__init__()
        self.d_model = d_model
        self.embedding = nn.Embedding(vocab_size, d_model)
        self.positional_encoding = SinusoidalPositionalEncoding(d_model, dropout, max_len)
        self.layers = nn.ModuleList(
            [
                EncoderLayer(d_model=d_model, num_heads=num_heads, d_ff=d_ff, dropout=dropout)
                for _ in range(num_layers)
            ]
        )

    def forward(self, tokens: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        """Encode ``tokens`` of shape (batch, seq) into (batch, seq, d_model)."""
        # Scale the embeddings so that the positions do not dominate them
        x = self.embedding(tokens) * math.sqrt(self.d_model)
        x = self.positional_encoding(x)
        for layer in self.layers:
            x = layer(x, attention_mask=attention_mask)
        return x
