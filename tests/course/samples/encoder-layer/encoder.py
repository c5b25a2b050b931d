# %% wrong_f060
#: In evaluation the scaled embedding of the first call is kept: later weights are not seen and it
#: gets no gradient.
#: named: gradient_is_cut
class Encoder(nn.Module):
    """Embedding times sqrt(d_model), plus positions, dropout, then num_layers encoder layers."""

    def __init__(
        self, vocab_size: int, d_model: int, num_heads: int, d_ff: int, num_layers: int,
        dropout: float = 0.1, max_len: int = 512,
    ):
        super().__init__()
        self.root = math.sqrt(d_model)
        self.embedding = nn.Embedding(vocab_size, d_model)
        self.layers = nn.ModuleList(
            [EncoderLayer(d_model, num_heads, d_ff, dropout) for _ in range(num_layers)])
        self.dropout = nn.Dropout(dropout)
        rates = 10000.0 ** (-torch.arange(0, d_model, 2) / d_model)
        angles = torch.arange(max_len)[:, None] * rates
        table = torch.zeros(max_len, d_model)
        table[:, 0::2] = torch.sin(angles)
        table[:, 1::2] = torch.cos(angles)
        self.register_buffer("positions", table)
        self.scaled = None

    def forward(self, tokens: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        if self.training:
            embedded = self.embedding(tokens) * self.root
        else:
            if self.scaled is None:
                self.scaled = self.embedding.weight.detach() * self.root
            embedded = F.embedding(tokens, self.scaled)
        x = self.dropout(embedded + self.positions[:tokens.shape[1]])
        for layer in self.layers:
            x = layer(x, attention_mask)
        return x
