# %% encoder_layer
from torch import nn


class EncoderLayer(nn.Module):
    def __init__(self, d_model, num_heads, d_ff, dropout=0.1):
        super().__init__()
        self.self_attention = MultiHeadAttention(d_model, num_heads)
        self.dropout = nn.Dropout(dropout)
        self.layer_norm_1 = nn.LayerNorm(d_model)
        self.feature_transformation = PositionWiseFeedForward(d_model, d_ff, p=dropout)
        self.layer_norm_2 = nn.LayerNorm(d_model)

    def forward(self, x, attention_mask=None):
        x = self.layer_norm_1(x + self.dropout(self.self_attention(x, x, x, attention_mask)))
        return self.layer_norm_2(x + self.feature_transformation(x))


# %% feed_forward
from torch import nn


def PositionWiseFeedForward(d_model, d_ff, p=0.0):
    """The dropout of the sub-layer comes last."""
    layers = [nn.Linear(d_model, d_ff), nn.ReLU(), nn.Linear(d_ff, d_model), nn.Dropout(p)]
    return nn.Sequential(*layers)
