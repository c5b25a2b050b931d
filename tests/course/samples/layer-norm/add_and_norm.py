# %% right_a007
class AddAndNorm(nn.LayerNorm):
    """LayerNorm(x + Dropout(sublayer_output))."""

    def __init__(self, d_model: int, dropout: float = 0.0):
        super().__init__(d_model)
        self.rate = dropout

    def forward(self, x: Tensor, sublayer_output: Tensor) -> Tensor:
        kept = F.dropout(sublayer_output, p=self.rate, training=self.training)
        return super().forward(kept + x)


# %% wrong_b018
#: Dropout acts on the sum; norm inline with F.layer_norm.
#: named: dropout_on_the_sum
class AddAndNorm(nn.Module):
    """LayerNorm(x + Dropout(sublayer_output))."""

    def __init__(self, d_model: int, dropout: float = 0.0):
        super().__init__()
        self.rate = dropout
        self.bias = nn.Parameter(torch.zeros(d_model))
        self.gain = nn.Parameter(torch.ones(d_model))

    def forward(self, x: Tensor, sublayer_output: Tensor) -> Tensor:
        total = F.dropout(x + sublayer_output, self.rate, self.training)
        return F.layer_norm(total, total.shape[-1:], self.gain, self.bias)
