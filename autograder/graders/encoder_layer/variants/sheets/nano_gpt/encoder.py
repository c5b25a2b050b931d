class Encoder(nn.Module):

    def __init__(
        self, vocab_size: int, d_model: int, num_heads: int, d_ff: int, num_layers: int,
        dropout: float = 0.1, max_len: int = 512,
    ):
        super().__init__()
        self.block_size = max_len
        self.embedding = nn.Embedding(vocab_size, d_model) # wte
        self.drop = nn.Dropout(dropout)
        self.layers = nn.ModuleList([EncoderLayer(d_model, num_heads, d_ff, dropout) for _ in range(num_layers)])
        # wpe, but fixed
        pos = torch.arange(max_len).unsqueeze(1)
        div = torch.exp(torch.arange(0, d_model, 2) * (-math.log(10000.0) / d_model))
        wpe = torch.zeros(max_len, d_model)
        wpe[:, 0::2] = torch.sin(pos * div)
        wpe[:, 1::2] = torch.cos(pos * div)
        self.register_buffer('wpe', wpe)
        self.embedding.apply(self._init_weights)

    def _init_weights(self, module):
        torch.nn.init.normal_(module.weight, mean=0.0, std=0.02)

    def forward(self, tokens: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        b, t = tokens.size()
        assert t <= self.block_size, f"cannot forward sequence of length {t}, max_len is only {self.block_size}"
        tok_emb = self.embedding(tokens) * self.embedding.embedding_dim**0.5 # (b, t, n_embd)
        pos_emb = self.wpe[:t] # (t, n_embd)
        x = self.drop(tok_emb + pos_emb)
        for block in self.layers:
            x = block(x, attention_mask)
        return x
