# %% encoder_layer
from torch import nn


class SelfAttention(MultiHeadAttention):
    """Multi-head attention of a sequence to itself."""

    def forward(self, x, mask=None):
        return super().forward(x, x, x, mask)


class EncoderLayer(nn.Module):
    def __init__(self, d_model, num_heads, d_ff, dropout=0.1):
        super().__init__()
        self.self_attention = SelfAttention(d_model, num_heads)
        self.feature_transformation = PositionWiseFeedForward(d_model, d_ff)
        self.layer_norm_1 = nn.LayerNorm(d_model)
        self.layer_norm_2 = nn.LayerNorm(d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, attention_mask=None):
        x = self.layer_norm_1(x + self.dropout(self.self_attention(x, attention_mask)))
        return self.layer_norm_2(x + self.dropout(self.feature_transformation(x)))
