from abc import ABC, abstractmethod


class PositionProvider(nn.Module, ABC):
    @abstractmethod
    def forward(self, length: int, device) -> Tensor: ...


class SinusoidalPositions(PositionProvider):
    """Computed when asked, kept for the longest sequence so far."""

    BASE = 10000.0

    def __init__(self, d_model: int, max_len: int):
        super().__init__()
        self.d_model, self.max_len = d_model, max_len
        self._cache = torch.zeros(0, d_model)

    def _build(self, length: int) -> Tensor:
        table = torch.zeros(length, self.d_model)
        for column in range(self.d_model):
            wave = (torch.sin, torch.cos)[column % 2]
            rate = self.BASE ** (-(column // 2 * 2) / self.d_model)
            table[:, column] = wave(torch.arange(length) * rate)
        return table

    def forward(self, length: int, device) -> Tensor:
        if length > self.max_len:
            raise ValueError(f"{length} positions asked, {self.max_len} are the limit")
        if length > len(self._cache):
            self._cache = self._build(length)
        return self._cache[:length].to(device)


class EncoderLayerFactory:
    def __init__(self, **settings):
        self.settings = settings

    def build_stack(self, depth: int) -> nn.ModuleList:
        return nn.ModuleList(EncoderLayer(**self.settings) for _ in range(depth))


class Encoder(nn.Module):
    def __init__(
        self, vocab_size: int, d_model: int, num_heads: int, d_ff: int, num_layers: int,
        dropout: float = 0.1, max_len: int = 512,
    ):
        super().__init__()
        self.scale = math.sqrt(d_model)
        self.embedding = nn.Embedding(num_embeddings=vocab_size, embedding_dim=d_model)
        self.positions: PositionProvider = SinusoidalPositions(d_model, max_len)
        self.regulariser = nn.Dropout(dropout)
        factory = EncoderLayerFactory(d_model=d_model, num_heads=num_heads, d_ff=d_ff, dropout=dropout)
        self.layers = factory.build_stack(num_layers)

    def _embed(self, tokens: Tensor) -> Tensor:
        positions = self.positions(tokens.shape[1], tokens.device)
        return self.regulariser(self.embedding(tokens) * self.scale + positions)

    def forward(self, tokens: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        state = self._embed(tokens)
        for layer in self.layers:
            state = layer(state, attention_mask=attention_mask)
        return state
