NORMS = Registry("norm")


@NORMS.register("layer")
def make_layer_norm(d_model: int) -> nn.Module:
    return nn.LayerNorm(d_model)


class Regulariser(nn.Module):
    """Dropout which refuses a senseless rate."""

    def __init__(self, rate: float):
        super().__init__()
        if not 0 <= rate < 1:
            raise ValueError(f"dropout must be in [0, 1), got {rate}")
        self.rate = rate
        self.impl = nn.Dropout(rate) if rate else nn.Identity()

    def forward(self, x: Tensor) -> Tensor:
        return self.impl(x)


class PostNormResidual(nn.Module):
    """norm(x + regulariser(y)); the norm belongs to the layer and is handed in at each call."""

    def __init__(self, rate: float):
        super().__init__()
        self.regulariser = Regulariser(rate)

    def forward(self, x: Tensor, y: Tensor, norm: nn.Module) -> Tensor:
        return norm(x + self.regulariser(y))


class EncoderLayer(nn.Module):
    def __init__(self, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.1):
        super().__init__()
        self.self_attention = MultiHeadAttention(d_model=d_model, num_heads=num_heads)
        self.feature_transformation = PositionWiseFeedForward(d_model=d_model, d_ff=d_ff)
        self.layer_norm_1 = NORMS.create("layer", d_model)
        self.layer_norm_2 = NORMS.create("layer", d_model)
        self.joins = nn.ModuleDict({key: PostNormResidual(dropout) for key in ("attend", "transform")})

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        attended = self.self_attention(query=x, key=x, value=x, attention_mask=attention_mask)
        z = self.joins["attend"](x, attended, self.layer_norm_1)
        return self.joins["transform"](z, self.feature_transformation(z), self.layer_norm_2)
