# %% wrong_a049
#: Dropout stands behind the norm, not on the sub-layer's output.
#: named: dropout_behind_the_norm
class AddAndNorm(nn.Module):
    """LayerNorm(x + Dropout(sublayer_output))."""

    def __init__(self, d_model: int, dropout: float = 0.0):
        super().__init__()
        self.after_sum = nn.Sequential(nn.LayerNorm(d_model), nn.Dropout(dropout))

    def forward(self, x: Tensor, sublayer_output: Tensor) -> Tensor:
        return self.after_sum(x + sublayer_output)


# %% wrong_a050
#: x += changes the caller's x.
#: named: input_is_changed
class AddAndNorm(nn.Module):
    def __init__(self, d_model: int, dropout: float = 0.0):
        super().__init__()
        self.norma = LayerNorm(d_model)
        self.vybros = nn.Dropout(dropout)

    def forward(self, x: Tensor, sublayer_output: Tensor) -> Tensor:
        x += self.vybros(sublayer_output)     # summa
        return self.norma(x)


# %% wrong_a051
#: If no rate is given it drops a tenth, where the statement says 0.0.
#: named: another_default_rate
class AddAndNorm(nn.Module):
    """LayerNorm(x + Dropout(sublayer_output)).

    x, sublayer_output (batch, seq, d_model) -> (batch, seq, d_model)
    """

    def __init__(self, d_model: int, dropout: float = 0.1):
        super().__init__()
        self.norm = nn.LayerNorm(d_model)
        self.dropout = nn.Dropout(p=dropout)

    def forward(self, x: Tensor, sublayer_output: Tensor) -> Tensor:
        residual = x
        hidden_states = self.dropout(sublayer_output)
        return self.norm(residual + hidden_states)


# %% wrong_a052
#: A dropout of one's own sets numbers to zero but does not scale up what is left, so training and
#: evaluation differ in size on average.
#: named: dropout_not_scaled
class AddAndNorm(nn.Module):
    def __init__(self, d_model: int, dropout: float = 0.0):
        super().__init__()
        self.norm = nn.LayerNorm(d_model)
        self.keep = 1.0 - dropout

    def forward(self, x: Tensor, sublayer_output: Tensor) -> Tensor:
        if self.training and self.keep < 1.0:
            mask = (torch.rand_like(sublayer_output) < self.keep).to(sublayer_output.dtype)
            sublayer_output = sublayer_output * mask
        return self.norm(x + sublayer_output)


# %% right_a053
class AddAndNorm(nn.Module):
    """No submodules, only functions."""

    def __init__(self, d_model: int, dropout: float = 0.0):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(d_model))
        self.bias = nn.Parameter(torch.zeros(d_model))
        self.p = dropout

    def forward(self, x: Tensor, sublayer_output: Tensor) -> Tensor:
        kept = F.dropout(sublayer_output, self.p, self.training)
        return F.layer_norm(x + kept, self.weight.shape, self.weight, self.bias)


# %% wrong_b057
#: Dropout acts on the sum of both, so parts of x are dropped, too.
#: named: dropout_on_the_sum
class AddAndNorm(nn.Module):
    def __init__(self, d_model: int, dropout: float = 0.0):
        super().__init__()
        self.norm = nn.LayerNorm(d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor, sublayer_output: Tensor) -> Tensor:
        return self.norm(self.dropout(x + sublayer_output))


# %% wrong_b058
#: Dropout works in place, on the tensor that the caller handed over: sublayer_output is changed in
#: training.
#: named: input_is_changed
class AddAndNorm(nn.Module):
    """LayerNorm(x + Dropout(sublayer_output))."""

    def __init__(self, d_model: int, dropout: float = 0.0):
        super().__init__()
        self.layer_norm = LayerNorm(d_model)
        self.drop = nn.Dropout(p=dropout, inplace=True)

    def forward(self, x: Tensor, sublayer_output: Tensor) -> Tensor:
        return self.layer_norm(x + self.drop(sublayer_output))


# %% wrong_b059
#: The hand-written dropout does not divide what is kept by 1 - rate: in training the sub-layer's
#: output is smaller on average than in evaluation.
#: named: dropout_not_scaled
class AddAndNorm(nn.Module):
    def __init__(self, d_model: int, dropout: float = 0.0):
        super().__init__()
        self.rate = dropout
        self.norm = nn.LayerNorm(d_model)

    def forward(self, x: Tensor, sublayer_output: Tensor) -> Tensor:
        dropped = sublayer_output
        if self.training and self.rate > 0:
            keep = torch.rand_like(sublayer_output) >= self.rate
            dropped = sublayer_output * keep
        return self.norm(x + dropped)


# %% right_b060
class AddAndNorm(nn.LayerNorm):
    """LayerNorm(x + Dropout(sublayer_output)): it is a norm, with a bit before it."""

    def __init__(self, d_model: int, dropout: float = 0.0):
        super().__init__(d_model)
        self.rate = dropout

    def forward(self, x: Tensor, sublayer_output: Tensor) -> Tensor:
        return super().forward(x + F.dropout(sublayer_output, self.rate, self.training))
