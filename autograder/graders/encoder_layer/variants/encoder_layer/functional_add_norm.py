from torch import nn
from torch.nn import functional as F


def add_norm(norm, x, y, p, training):
    return norm(x + F.dropout(y, p, training=training))


class EncoderLayer(nn.Module):
    def __init__(self, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.1):
        super().__init__()
        self.p = dropout
        self.self_attention = MultiHeadAttention(d_model, num_heads)
        self.feature_transformation = PositionWiseFeedForward(d_model, d_ff)
        self.layer_norm_1 = nn.LayerNorm(d_model)
        self.layer_norm_2 = nn.LayerNorm(d_model)

    def forward(self, x, attention_mask=None):
        y = self.self_attention(query=x, key=x, value=x, attention_mask=attention_mask)
        z = add_norm(self.layer_norm_1, x, y, self.p, self.training)
        return add_norm(self.layer_norm_2, z, self.feature_transformation(z), self.p, self.training)
