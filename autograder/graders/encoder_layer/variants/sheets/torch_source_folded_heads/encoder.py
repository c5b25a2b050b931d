import copy


def _get_clones(module: nn.Module, N: int) -> nn.ModuleList:
    # FIXME: copy.deepcopy() gives every copy the same initial values
    return nn.ModuleList([copy.deepcopy(module) for i in range(N)])


class Encoder(nn.Module):
    r"""Encoder is a stack of N encoder layers on top of an embedding with fixed positions."""

    __constants__ = ["max_len"]
    pe: Tensor

    def __init__(
        self, vocab_size: int, d_model: int, num_heads: int, d_ff: int, num_layers: int,
        dropout: float = 0.1, max_len: int = 512,
    ) -> None:
        super().__init__()
        self.d_model = d_model
        self.max_len = max_len
        self.num_layers = num_layers
        self.embedding = nn.Embedding(vocab_size, d_model)
        self.dropout = nn.Dropout(p=dropout)
        self.layers = _get_clones(EncoderLayer(d_model, num_heads, d_ff, dropout), num_layers)
        self.register_buffer("pe", self._make_pe(max_len, d_model), persistent=False)

    @staticmethod
    def _make_pe(max_len: int, d_model: int) -> Tensor:
        position = torch.arange(max_len, dtype=torch.float).unsqueeze(1)
        inv_freq = torch.pow(10000.0, -torch.arange(0, d_model, 2, dtype=torch.float) / d_model)
        pe = torch.empty(max_len, d_model)
        torch.sin(position * inv_freq, out=pe[:, 0::2])
        torch.cos(position * inv_freq, out=pe[:, 1::2])
        return pe

    def forward(self, tokens: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        seq_len = tokens.size(1)
        if seq_len > self.max_len:
            raise ValueError(f"sequence of {seq_len} tokens is longer than max_len={self.max_len}")
        output = self.dropout(self.embedding(tokens) * math.sqrt(self.d_model) + self.pe[:seq_len])
        for mod in self.layers:
            output = mod(output, attention_mask=attention_mask)
        return output
