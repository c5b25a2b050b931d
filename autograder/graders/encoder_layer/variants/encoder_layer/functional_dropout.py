import torch.nn.functional as F
from torch import Tensor, nn


class EncoderLayer(nn.Module):
    def __init__(self, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.p = dropout
        self.layer_norm_1 = nn.LayerNorm((d_model,))
        self.layer_norm_2 = nn.LayerNorm([d_model])
        self.self_attention = MultiHeadAttention(d_model, num_heads, mask_future=False)
        self.feature_transformation = PositionWiseFeedForward(d_model, d_ff)

    def drop(self, x: Tensor) -> Tensor:
        return F.dropout(x, p=self.p, training=self.training)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        residual = x
        x = self.drop(self.self_attention(x, x, x, attention_mask=attention_mask))
        x = residual = self.layer_norm_1(residual + x)
        x = self.drop(self.feature_transformation(x))
        return self.layer_norm_2(residual + x)
