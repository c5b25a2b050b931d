from torch import nn


class EncoderLayer(nn.Module):
    def __init__(self, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.1):
        super().__init__()
        self.self_attention, self.feature_transformation = MultiHeadAttention(d_model, num_heads), PositionWiseFeedForward(d_model, d_ff)
        self.layer_norm_1, self.layer_norm_2, self.drop = nn.LayerNorm(d_model), nn.LayerNorm(d_model), nn.Dropout(dropout)

    def forward(self, x, attention_mask=None):
        return self.layer_norm_2((z := self.layer_norm_1(x + self.drop(self.self_attention(*[x] * 3, attention_mask)))) + self.drop(self.feature_transformation(z)))
