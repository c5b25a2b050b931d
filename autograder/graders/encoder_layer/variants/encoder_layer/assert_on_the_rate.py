from torch import nn


class EncoderLayer(nn.Module):
    """A rate of 1 is refused, by an assert; epsilon is that of BERT."""

    def __init__(self, d_model, num_heads, d_ff, dropout=0.1):
        super().__init__()
        assert 0 <= dropout < 1
        self.self_attention = MultiHeadAttention(d_model, num_heads)
        self.feature_transformation = PositionWiseFeedForward(d_model, d_ff)
        self.layer_norm_1 = nn.LayerNorm(d_model, eps=1e-12)
        self.layer_norm_2 = nn.LayerNorm(d_model, eps=1e-12)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, attention_mask=None):
        z = self.layer_norm_1(x + self.dropout(self.self_attention(x, x, x, attention_mask)))
        return self.layer_norm_2(z + self.dropout(self.feature_transformation(z)))
