class EncoderLayer(nn.Module):

    def __init__(self, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.1):
        super().__init__()
        self.self_attention = MultiHeadAttention(d_model, num_heads)
        self.layer_norm_1 = nn.LayerNorm(d_model)
        self.feature_transformation = PositionWiseFeedForward(d_model, d_ff)
        self.layer_norm_2 = nn.LayerNorm(d_model)
        self.resid_dropout = nn.Dropout(dropout)

    def attn(self, x, mask):
        return self.resid_dropout(self.self_attention(x, x, x, mask))

    def mlp(self, x):
        return self.resid_dropout(self.feature_transformation(x))

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        x = self.layer_norm_1(x + self.attn(x, attention_mask)) # communicate
        x = self.layer_norm_2(x + self.mlp(x)) # think
        return x
