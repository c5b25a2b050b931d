from collections.abc import Callable

from torch import Tensor, nn


class AddAndNorm(nn.Module):
    def __init__(self, d_model: int, dropout: float):
        super().__init__()
        self.dropout = nn.Dropout(dropout)
        self.layer_norm = nn.LayerNorm(d_model)

    def forward(self, x: Tensor, update: Tensor) -> Tensor:
        return self.layer_norm(self.dropout(update) + x)


class Residual(nn.Module):
    """Wraps a sub-layer: norm(x + dropout(sublayer(x, ...)))"""

    def __init__(self, sublayer: Callable, d_model: int, dropout: float):
        super().__init__()
        self.sublayer = sublayer
        self.add_norm = AddAndNorm(d_model, dropout)

    def forward(self, x: Tensor, *others, **named) -> Tensor:
        return self.add_norm(x, self.sublayer(x, *others, **named))


class EncoderLayer(nn.Module):
    def __init__(self, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.1):
        super().__init__()
        self.attend = Residual(MultiHeadAttention(d_model, num_heads), d_model, dropout)
        self.transform = Residual(PositionWiseFeedForward(d_model, d_ff), d_model, dropout)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        return self.transform(self.attend(x, x, x, attention_mask=attention_mask))
