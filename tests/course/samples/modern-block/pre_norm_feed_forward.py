# %% wrong_gelu_norm_first
#: GELU stands for the ReLU; the norm is made first.
#: named: another_activation
class PreNormFeedForward(nn.Module):
    def __init__(self, d_model, d_ff):
        super().__init__()
        self.norm = nn.LayerNorm(d_model)
        self.up = nn.Linear(d_model, d_ff)
        self.down = nn.Linear(d_ff, d_model)
    def forward(self, x):
        return x + self.down(F.gelu(self.up(self.norm(x))))


# %% wrong_gelu_norm_last
#: GELU stands for the ReLU; the norm is made last.
#: named: another_activation
class PreNormFeedForward(nn.Module):
    def __init__(self, d_model, d_ff):
        super().__init__()
        self.up = nn.Linear(d_model, d_ff)
        self.down = nn.Linear(d_ff, d_model)
        self.norm = nn.LayerNorm(d_model)
    def forward(self, x):
        return x + self.down(F.gelu(self.up(self.norm(x))))


# %% wrong_gelu_raw
#: GELU stands for the ReLU; parameters are raw, in any order.
#: named: another_activation
class PreNormFeedForward(nn.Module):
    def __init__(self, d_model, d_ff):
        super().__init__()
        self.b2 = nn.Parameter(torch.zeros(d_model))
        self.w2 = nn.Parameter(torch.randn(d_ff, d_model) / d_ff ** 0.5)
        self.shift = nn.Parameter(torch.zeros(d_model))
        self.w1 = nn.Parameter(torch.randn(d_model, d_ff) / d_model ** 0.5)
        self.gain = nn.Parameter(torch.ones(d_model))
        self.b1 = nn.Parameter(torch.zeros(d_ff))
    def forward(self, x):
        h = F.layer_norm(x, x.shape[-1:], self.gain, self.shift)
        return x + F.gelu(h @ self.w1 + self.b1) @ self.w2 + self.b2


# %% right_a008
class PreNormFeedForward(nn.Module):
    """x + linear2(relu(linear1(norm(x)))): a feed forward sub-layer with the norm before it."""

    def __init__(self, d_model: int, d_ff: int):
        super().__init__()
        first, second = d_model ** -0.5, d_ff ** -0.5

        def spread(bound, *shape):
            return (2 * torch.rand(*shape) - 1) * bound

        self.small = nn.ParameterDict({
            "q": nn.Parameter(torch.stack([torch.zeros(d_model), spread(second, d_model), torch.ones(d_model)])),
            "p": nn.Parameter(spread(first, d_ff)),
        })
        self.large = nn.Parameter(torch.stack([spread(second, d_model, d_ff), spread(first, d_model, d_ff)]))

    def forward(self, x: Tensor) -> Tensor:
        back, forth = self.large                    # (d_model, d_ff) each
        shift, end, gain = self.small["q"]          # (d_model) each
        z = F.layer_norm(x, x.shape[-1:], gain, shift)
        hidden = torch.relu(z @ forth + self.small["p"])
        return x + (hidden @ back.T + end)


# %% wrong_b019
#: What is added is the normed x, not x; norm inline, layers in reverse order.
#: named: residual_from_the_normed
class PreNormFeedForward(nn.Module):
    """x + linear2(relu(linear1(norm(x)))): a feed forward sub-layer with the norm before it."""

    def __init__(self, d_model: int, d_ff: int):
        super().__init__()
        self.second = nn.Linear(d_ff, d_model)
        self.first = nn.Linear(d_model, d_ff)
        self.gain = nn.Parameter(torch.ones(d_model))
        self.shift = nn.Parameter(torch.zeros(d_model))

    def forward(self, x: Tensor) -> Tensor:
        x = F.layer_norm(x, x.shape[-1:], self.gain, self.shift)
        return x + self.second(F.relu(self.first(x)))
