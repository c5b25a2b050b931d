import torch.nn as nn


class EncoderLayer(nn.Module):
    """The feed forward sub-layer ends with its dropout."""

    def __init__(self, d_model, num_heads, d_ff, dropout=0.1):
        super().__init__()
        self.self_attention = MultiHeadAttention(d_model, num_heads)
        self.attention_dropout = nn.Dropout(dropout)
        self.feature_transformation = nn.Sequential(
            PositionWiseFeedForward(d_model, d_ff), nn.Dropout(dropout)
        )
        self.norms = nn.ModuleList([nn.LayerNorm(d_model), nn.LayerNorm(d_model)])

    def forward(self, x, attention_mask=None):
        first, second = self.norms
        z = first(x + self.attention_dropout(self.self_attention(x, x, x, attention_mask)))
        return second(z + self.feature_transformation(z))
