from torch import Tensor, nn
from torch.nn import functional as F


def dropout_fn(x: Tensor, rate: float, is_training: bool) -> Tensor:
    return F.dropout(x, p=rate, training=is_training)


def residual(f, norm, x, drop):
    """norm(x + drop(f(x))), a pure function of its arguments"""
    return norm(x + drop(f(x)))


class EncoderLayer(nn.Module):
    """Self-attention, then feed forward, each with dropout, residual and layer norm."""

    def __init__(self, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.1):
        super().__init__()
        self.rate = dropout
        self.self_attention = MultiHeadAttention(d_model, num_heads)
        self.feature_transformation = PositionWiseFeedForward(d_model, d_ff)
        self.layer_norm_1 = nn.LayerNorm(d_model)
        self.layer_norm_2 = nn.LayerNorm(d_model)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        drop = lambda h: dropout_fn(h, self.rate, self.training)
        attend_to_self = lambda h: self.self_attention(h, h, h, attention_mask)
        z = residual(attend_to_self, self.layer_norm_1, x, drop)
        return residual(self.feature_transformation, self.layer_norm_2, z, drop)
