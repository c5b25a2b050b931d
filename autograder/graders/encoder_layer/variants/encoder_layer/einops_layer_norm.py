from einops import reduce
import torch
from torch import nn


class EinLayerNorm(nn.LayerNorm):
    """nn.LayerNorm, spelled out with reduce."""

    def forward(self, x):
        x = x - reduce(x, "... d -> ... 1", "mean")
        var = reduce(x**2, "... d -> ... 1", "mean")
        return x * torch.rsqrt(var + self.eps) * self.weight + self.bias


class EncoderLayer(nn.Module):
    def __init__(self, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.1):
        super().__init__()
        self.self_attention = MultiHeadAttention(d_model, num_heads)
        self.feature_transformation = PositionWiseFeedForward(d_model, d_ff)
        self.layer_norm_1 = EinLayerNorm(d_model)
        self.layer_norm_2 = EinLayerNorm(d_model)
        self.drop_attn = nn.Dropout(dropout)
        self.drop_ff = nn.Dropout(dropout)

    def forward(self, x, attention_mask=None):
        z = self.layer_norm_1(x + self.drop_attn(self.self_attention(x, x, x, attention_mask)))
        return self.layer_norm_2(z + self.drop_ff(self.feature_transformation(z)))
