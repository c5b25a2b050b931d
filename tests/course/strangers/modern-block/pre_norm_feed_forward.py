# %% wrong_a086
#: F.layer_norm is called without weight and bias, so the norm has no learned gain and shift.
#: named: norm_without_gain
class PreNormFeedForward(nn.Module):
    def __init__(self, d_model: int, d_ff: int):
        super().__init__()
        self.lin1, self.lin2 = nn.Linear(d_model, d_ff), nn.Linear(d_ff, d_model)

    def forward(self, x: Tensor) -> Tensor:
        y = F.layer_norm(x, x.shape[-1:])
        return x + self.lin2(F.relu(self.lin1(y)))


# %% wrong_a087
#: x is overwritten by the normed x, so the normed one is added instead of x as it came.
#: named: residual_from_the_normed
class PreNormFeedForward(nn.Module):
    """x + linear2(relu(linear1(norm(x))))"""

    def __init__(self, d_model: int, d_ff: int):
        super().__init__()
        self.norm = nn.LayerNorm(d_model)
        self.linear1 = nn.Linear(d_model, d_ff)
        self.relu = nn.ReLU()
        self.linear2 = nn.Linear(d_ff, d_model)

    def forward(self, x: Tensor) -> Tensor:
        # first the norm
        x = self.norm(x)
        # then the feed forward layer
        out = self.linear1(x)
        out = self.relu(out)
        out = self.linear2(out)
        # residual connection
        return x + out


# %% wrong_b025
#: x is overwritten by the normed x, so what is added is the normed x and not x as it came.
#: named: residual_from_the_normed
class PreNormFeedForward(nn.Module):
    """x + linear2(relu(linear1(norm(x)))): a feed forward sub-layer with the norm before it."""

    def __init__(self, d_model: int, d_ff: int):
        super().__init__()
        self.norm = nn.LayerNorm(d_model)
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)

    def forward(self, x: Tensor) -> Tensor:
        x = self.norm(x)
        return x + self.linear2(torch.relu(self.linear1(x)))


# %% wrong_b026
#: F.layer_norm is called without parameters: the norm has no learned gain and shift.
#: named: norm_without_gain
class PreNormFeedForward(nn.Module):
    def __init__(self, d_model: int, d_ff: int):
        super().__init__()
        self.shape = (d_model,)
        self.fc_in = nn.Linear(d_model, d_ff)
        self.fc_out = nn.Linear(d_ff, d_model)

    def forward(self, x: Tensor) -> Tensor:
        z = F.layer_norm(x, self.shape)
        z = F.relu(self.fc_in(z))
        return self.fc_out(z).add(x)


# %% wrong_b027
#: The sum is taken in place with +=, so the caller's x is changed.
#: named: input_is_changed
class PreNormFeedForward(nn.Module):
    def __init__(self, d_model: int, d_ff: int):
        super().__init__()
        self.net = nn.Sequential(
            nn.LayerNorm(d_model),
            nn.Linear(d_model, d_ff),
            nn.ReLU(),
            nn.Linear(d_ff, d_model),
        )

    def forward(self, x: Tensor) -> Tensor:
        x += self.net(x)
        return x


# %% right_b028
class PreNormFeedForward(nn.Module):
    def __init__(self, d_model: int, d_ff: int):
        super().__init__()
        p = {
            "g": torch.ones(d_model), "s": torch.zeros(d_model),
            "a": torch.randn(d_ff, d_model) / d_model ** 0.5, "a0": torch.zeros(d_ff),
            "b": torch.randn(d_model, d_ff) / d_ff ** 0.5, "b0": torch.zeros(d_model),
        }
        self.p = nn.ParameterDict({k: nn.Parameter(v) for k, v in p.items()})

    def forward(self, x: Tensor) -> Tensor:
        p = self.p
        n = F.layer_norm(x, x.shape[-1:], weight=p["g"], bias=p["s"])
        hidden = F.linear(n, p["a"], p["a0"]).clamp(min=0)
        return torch.add(x, F.linear(hidden, p["b"], p["b0"]))
