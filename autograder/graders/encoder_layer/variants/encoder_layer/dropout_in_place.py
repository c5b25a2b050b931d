from torch import nn


class EncoderLayer(nn.Module):
    def __init__(self, d_model, num_heads, d_ff, dropout=0.1):
        super().__init__()
        self.self_attention = MultiHeadAttention(d_model, num_heads)
        self.feature_transformation = PositionWiseFeedForward(d_model, d_ff)
        self.layer_norm_1, self.layer_norm_2 = nn.LayerNorm(d_model), nn.LayerNorm(d_model)
        self.dropout = nn.Dropout(dropout, inplace=True)

    def forward(self, x, attention_mask=None):
        z = self.self_attention(x, x, x, attention_mask)
        z = self.dropout(z)
        z += x
        z = self.layer_norm_1(z)
        out = self.dropout(self.feature_transformation(z))
        out += z
        return self.layer_norm_2(out)
