from torch import nn


class AddNorm(nn.Module):
    def __init__(self, d_model, sublayer):
        super().__init__()
        self.sublayer = sublayer
        self.norm = nn.LayerNorm(d_model)

    def forward(self, x, *args):
        return self.norm(x + self.sublayer(x, *args))


class EncoderLayer(nn.Module):
    """Each sub-layer has its own name and is a member of its wrapper, too."""

    def __init__(self, d_model, num_heads, d_ff, dropout=0.1):
        super().__init__()
        self.self_attention = MultiHeadAttention(d_model, num_heads, dropout=dropout)
        self.feature_transformation = nn.Sequential(
            PositionWiseFeedForward(d_model, d_ff), nn.Dropout(dropout)
        )
        self.add_norm_1 = AddNorm(d_model, self.self_attention)
        self.add_norm_2 = AddNorm(d_model, self.feature_transformation)

    def forward(self, x, attention_mask=None):
        return self.add_norm_2(self.add_norm_1(x, x, x, attention_mask))
