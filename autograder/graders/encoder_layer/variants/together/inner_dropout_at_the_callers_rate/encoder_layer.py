from torch import nn


class EncoderLayer(nn.Module):
    """Dropout in four places, all at one rate: inside and at the end of each sub-layer."""

    def __init__(self, d_model, num_heads, d_ff, dropout=0.1):
        super().__init__()
        self.self_attention = MultiHeadAttention(d_model, num_heads, attention_dropout=dropout)
        self.feature_transformation = PositionWiseFeedForward(d_model, d_ff, dropout)
        self.layer_norm_1 = nn.LayerNorm(d_model)
        self.layer_norm_2 = nn.LayerNorm(d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, attention_mask=None):
        z = self.layer_norm_1(x + self.dropout(self.self_attention(x, x, x, attention_mask)))
        return self.layer_norm_2(z + self.dropout(self.feature_transformation(z)))
