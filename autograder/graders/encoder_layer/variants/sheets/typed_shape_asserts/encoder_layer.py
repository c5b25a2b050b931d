from jaxtyping import Bool, Float, Int


class EncoderLayer(nn.Module):
    self_attention: MultiHeadAttention
    feature_transformation: PositionWiseFeedForward
    layer_norm_1: nn.LayerNorm
    layer_norm_2: nn.LayerNorm

    def __init__(self, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.d_model: int = d_model
        self.self_attention = MultiHeadAttention(d_model, num_heads, mask_future=False)
        self.feature_transformation = PositionWiseFeedForward(d_model, d_ff)
        self.layer_norm_1 = nn.LayerNorm(normalized_shape=(d_model,))
        self.layer_norm_2 = nn.LayerNorm(normalized_shape=(d_model,))
        self.dropout: nn.Dropout = nn.Dropout(p=dropout)

    def forward(
        self,
        x: Float[Tensor, "batch seq d_model"],
        attention_mask: Bool[Tensor, "batch seq"] | Int[Tensor, "batch seq"] | None = None,
    ) -> Float[Tensor, "batch seq d_model"]:
        batch, seq, d_model = x.shape
        assert d_model == self.d_model
        assert attention_mask is None or attention_mask.shape == (batch, seq)

        attended: Float[Tensor, "batch seq d_model"] = self.self_attention(x, x, x, attention_mask)
        assert attended.shape == x.shape
        z: Float[Tensor, "batch seq d_model"] = self.layer_norm_1(x + self.dropout(attended))

        transformed: Float[Tensor, "batch seq d_model"] = self.feature_transformation(z)
        assert transformed.shape == z.shape
        output: Float[Tensor, "batch seq d_model"] = self.layer_norm_2(z + self.dropout(transformed))
        assert output.shape == (batch, seq, d_model)
        return output
