class Encoder(nn.Module):
    def __init__(
        self, vocab_size: int, d_model: int, num_heads: int, d_ff: int, num_layers: int,
        dropout: float = 0.1, max_len: int = 512,
    ):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, d_model)
        self.layers = nn.ModuleList(
            [EncoderLayer(d_model, num_heads, d_ff, dropout) for _ in range(num_layers)]
        )
        self.p = dropout

    def forward(self, tokens: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        w = self.embedding.weight
        D = w.size(1)
        x = F.embedding(tokens, w) * math.sqrt(D)
        pos = torch.arange(tokens.size(1), device=x.device, dtype=x.dtype).view(-1, 1)
        i2 = torch.arange(0, D, 2, device=x.device, dtype=x.dtype)
        angle = pos / 10000 ** (i2 / D)
        pe = torch.stack((angle.sin(), angle.cos()), dim=-1).flatten(1)
        x = F.dropout(x + pe, self.p, self.training)
        for layer in self.layers:
            x = layer(x, attention_mask)
        return x
