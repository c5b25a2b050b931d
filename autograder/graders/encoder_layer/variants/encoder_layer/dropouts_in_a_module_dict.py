from torch import Tensor, nn


class EncoderLayer(nn.Module):
    def __init__(self, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.1):
        super().__init__()
        self.self_attention = MultiHeadAttention(d_model, num_heads)
        self.feature_transformation = PositionWiseFeedForward(d_model, d_ff)
        self.layer_norm_1 = nn.LayerNorm(d_model)
        self.layer_norm_2 = nn.LayerNorm(d_model)
        self.drop = nn.ModuleDict({
            "attention": nn.Dropout(dropout),
            "feed_forward": nn.Dropout(dropout),
        })

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        attended = self.drop["attention"](self.self_attention(x, x, x, attention_mask))
        z = self.layer_norm_1(attended + x)
        transformed = self.drop["feed_forward"](self.feature_transformation(z))
        return self.layer_norm_2(transformed + z)
