from torch import nn


class AddAndNorm(nn.Module):
    """The rate has a default here, and the layer says another."""

    def __init__(self, size, rate=0.1, eps=1e-6):
        super().__init__()
        self.dropout = nn.Dropout(rate)
        self.norm = nn.LayerNorm(size, eps=eps)

    def forward(self, x, update):
        return self.norm(x + self.dropout(update))


class EncoderLayer(nn.Module):
    def __init__(self, d_model, num_heads, d_ff, dropout=0.1):
        super().__init__()
        self.self_attention = MultiHeadAttention(d_model, num_heads)
        self.feature_transformation = PositionWiseFeedForward(d_model, d_ff)
        self.add_norm_1 = AddAndNorm(d_model, rate=dropout)
        self.add_norm_2 = AddAndNorm(d_model, rate=dropout)

    def forward(self, x, attention_mask=None):
        x = self.add_norm_1(x, self.self_attention(x, x, x, attention_mask))
        return self.add_norm_2(x, self.feature_transformation(x))
