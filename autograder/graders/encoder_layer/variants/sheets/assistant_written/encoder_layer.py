class EncoderLayer(nn.Module):
    """A single post-norm transformer encoder layer.

    Args:
        d_model: Number of features of a token.
        num_heads: Number of attention heads.
        d_ff: Hidden units of the feed forward network.
        dropout: Dropout probability, ``0 <= dropout <= 1``.
    """

    LAYER_NORM_EPS = 1e-5

    def __init__(self, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.1):
        super().__init__()
        if not 0.0 <= dropout <= 1.0:
            raise ValueError(f"dropout must be a probability, got {dropout}")

        # Sub-layers
        self.self_attention = MultiHeadAttention(d_model=d_model, num_heads=num_heads)
        self.feature_transformation = PositionWiseFeedForward(d_model=d_model, d_ff=d_ff)

        # Normalisation
        self.layer_norm_1 = nn.LayerNorm(d_model, eps=self.LAYER_NORM_EPS)
        self.layer_norm_2 = nn.LayerNorm(d_model, eps=self.LAYER_NORM_EPS)

        # Regularisation (identity if there is nothing to drop)
        self.attention_dropout = nn.Dropout(dropout) if dropout > 0 else nn.Identity()
        self.feed_forward_dropout = nn.Dropout(dropout) if dropout > 0 else nn.Identity()

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        """Apply the layer to ``x`` of shape (batch, seq, d_model)."""
        if x.dim() != 3:
            raise ValueError(f"x must be (batch, seq, d_model), got {tuple(x.shape)}")

        # Sub-layer 1: self-attention
        attention_output = self.self_attention(
            query=x, key=x, value=x, attention_mask=attention_mask
        )
        z = self.layer_norm_1(x + self.attention_dropout(attention_output))

        # Sub-layer 2: feed forward
        feed_forward_output = self.feature_transformation(z)
        return self.layer_norm_2(z + self.feed_forward_dropout(feed_forward_output))
