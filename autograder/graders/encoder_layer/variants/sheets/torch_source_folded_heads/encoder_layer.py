class EncoderLayer(nn.Module):
    r"""EncoderLayer is made up of self-attn and feedforward network, post-norm.

    Args:
        d_model: the number of expected features in the input
        num_heads: the number of heads
        d_ff: the dimension of the feedforward network
        dropout: the dropout value (default=0.1)
    """

    def __init__(self, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.self_attention = MultiHeadAttention(d_model, num_heads)
        self.dropout1 = nn.Dropout(dropout)
        self.layer_norm_1 = nn.LayerNorm(d_model, eps=1e-5)
        # Implementation of Feedforward model
        self.feature_transformation = PositionWiseFeedForward(d_model, d_ff)
        self.dropout2 = nn.Dropout(dropout)
        self.layer_norm_2 = nn.LayerNorm(d_model, eps=1e-5)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        x = self.layer_norm_1(x + self._sa_block(x, attention_mask))
        x = self.layer_norm_2(x + self._ff_block(x))
        return x

    # self-attention block
    def _sa_block(self, x: Tensor, attention_mask: Tensor | None) -> Tensor:
        x = self.self_attention(x, x, x, attention_mask=attention_mask)
        return self.dropout1(x)

    # feed forward block
    def _ff_block(self, x: Tensor) -> Tensor:
        return self.dropout2(self.feature_transformation(x))
