from torch import nn


class EncoderLayer(nn.Module):
    """One dropout is that of the attention, the other one stands here."""

    def __init__(self, d_model, num_heads, d_ff, dropout=0.1):
        super().__init__()
        self.self_attention = MultiHeadAttention(d_model, num_heads, dropout=dropout)
        self.feature_transformation = nn.Sequential(
            PositionWiseFeedForward(d_model, d_ff), nn.Dropout(dropout)
        )
        self.layer_norm_1, self.layer_norm_2 = nn.LayerNorm(d_model), nn.LayerNorm(d_model)

    def forward(self, x, attention_mask=None):
        x = self.layer_norm_1(self.self_attention(x, x, x, attention_mask) + x)
        return self.layer_norm_2(self.feature_transformation(x) + x)
