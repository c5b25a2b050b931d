from einops import einsum, rearrange


class Encoder(nn.Module):
    def __init__(
        self, vocab_size: int, d_model: int, num_heads: int, d_ff: int, num_layers: int,
        dropout: float = 0.1, max_len: int = 512,
    ):
        super().__init__()
        self.scale = math.sqrt(d_model)
        self.embedding = nn.Embedding(vocab_size, d_model)
        self.dropout = nn.Dropout(dropout)
        self.layers = nn.ModuleList(
            [EncoderLayer(d_model, num_heads, d_ff, dropout=dropout) for _ in range(num_layers)]
        )
        freq = 1.0 / 10000 ** (torch.arange(0, d_model, 2).float() / d_model)
        angle = einsum(torch.arange(max_len).float(), freq, "pos, i -> pos i")
        waves = torch.stack([angle.sin(), angle.cos()])
        self.register_buffer("pos_emb", rearrange(waves, "two pos i -> pos (i two)"))

    def forward(self, tokens, attention_mask=None):
        pos = rearrange(self.pos_emb[: tokens.shape[1]], "n d -> 1 n d")
        x = self.dropout(self.embedding(tokens) * self.scale + pos)
        for block in self.layers:
            x = block(x, attention_mask)
        return x
