from torch import nn


class EncoderLayer(nn.Module):
    """The sub-layers end with their dropout, so there is none here."""

    def __init__(self, d_model, num_heads, d_ff, dropout=0.1):
        super().__init__()
        self.self_attention = MultiHeadAttention(d_model, num_heads, dropout=dropout)
        self.feature_transformation = PositionWiseFeedForward(d_model, d_ff, dropout)
        self.layer_norm_1 = nn.LayerNorm(d_model)
        self.layer_norm_2 = nn.LayerNorm(d_model)

    def forward(self, x, attention_mask=None):
        z = self.layer_norm_1(x + self.self_attention(x, x, x, attention_mask))
        return self.layer_norm_2(z + self.feature_transformation(z))
