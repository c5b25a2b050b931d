# %% einsum
class LayerNorm(nn.Module):
    def __init__(self, d_model: int, eps: float = 1e-6):
        super().__init__()
        self.gamma = nn.Parameter(torch.ones(d_model))
        self.beta = nn.Parameter(torch.zeros(d_model))
        self.eps = eps

    def forward(self, x):
        d = x.size(-1)
        mu = torch.einsum("...d->...", x) / d
        c = x - mu[..., None]
        sigma2 = torch.einsum("...d,...d->...", c, c) / d
        return torch.einsum("...d,...,d->...d", c, (sigma2 + self.eps) ** -0.5, self.gamma) + self.beta


# %% float32_inside
class LayerNorm(nn.Module):
    def __init__(self, dim, eps=1e-6):
        super().__init__()
        self.gamma = nn.Parameter(torch.ones(dim))
        self.beta = nn.Parameter(torch.zeros(dim))
        self.eps = eps

    def forward(self, x):
        h = x.float()
        h = h - h.mean(-1, keepdim=True)
        h = h * torch.rsqrt(h.square().mean(-1, keepdim=True) + self.eps)
        return self.gamma * h.type_as(x) + self.beta


# %% loop_over_features
class LayerNorm(nn.Module):
    def __init__(self, d_model, eps=1e-6):
        super().__init__()
        self.gamma = nn.Parameter(torch.ones(d_model))
        self.beta = nn.Parameter(torch.zeros(d_model))
        self.eps = eps
        self.d_model = d_model

    def forward(self, x):
        total = 0
        for i in range(self.d_model):
            total = total + x[..., i]
        mean = total / self.d_model
        squares = 0
        for i in range(self.d_model):
            squares = squares + (x[..., i] - mean) ** 2
        std = torch.sqrt(squares / self.d_model + self.eps)
        columns = []
        for i in range(self.d_model):
            columns.append((x[..., i] - mean) / std * self.gamma[i] + self.beta[i])
        return torch.stack(columns, dim=-1)


# %% matrix_that_centres
class LayerNorm(nn.Module):
    def __init__(self, d_model, eps=1e-6):
        super().__init__()
        self.gamma = nn.Parameter(torch.ones(d_model))
        self.beta = nn.Parameter(torch.zeros(d_model))
        self.eps, self.n = eps, d_model
        self.register_buffer("centre", torch.eye(d_model) - torch.ones(d_model, d_model) / d_model)

    def forward(self, x):
        x = x - x[..., :1]  # the matrix would cost digits otherwise
        c = x @ self.centre
        return self.gamma * c * (c.norm(dim=-1, keepdim=True) ** 2 / self.n + self.eps) ** -0.5 + self.beta


# %% parameters_made_by_init
class LayerNorm(nn.Module):
    def __init__(self, d_model, eps=1e-6):
        super().__init__()
        self.gamma = nn.Parameter(torch.empty(d_model))
        self.beta = nn.Parameter(torch.empty(d_model))
        self.eps = eps
        self.reset_parameters()

    def reset_parameters(self):
        nn.init.constant_(self.gamma, 1.0)
        nn.init.zeros_(self.beta)

    def normalize(self, x):
        centered = x - x.mean(-1, True)
        return centered / (centered.pow(2).mean(-1, True) + self.eps).sqrt()

    def forward(self, x):
        return torch.addcmul(self.beta, self.gamma, self.normalize(x))


# %% register_parameter
class LayerNorm(nn.Module):
    def __init__(self, d_model, eps=1e-6):
        super().__init__()
        self.register_parameter("beta", nn.Parameter(torch.zeros(d_model)))
        self.register_parameter("gamma", nn.Parameter(torch.ones(d_model)))
        self.register_buffer("eps", torch.tensor(eps))

    def forward(self, x):
        mean = torch.mean(x, dim=-1).unsqueeze(-1)
        var = torch.mean(torch.square(x - mean), dim=-1).unsqueeze(-1)
        return torch.mul(self.gamma, (x - mean) / torch.sqrt(var + self.eps)).add(self.beta)


# %% rows_as_parameters
class LayerNorm(nn.Module):
    def __init__(self, d_model, eps=1e-6):
        super().__init__()
        self.shift = nn.Parameter(torch.zeros(1, d_model))
        self.scale = nn.Parameter(torch.ones(1, d_model))
        self.eps = eps

    def forward(self, x):
        m = x.mean(-1, keepdim=True)
        v = x.var(-1, correction=0, keepdim=True)
        y = torch.div(x - m, torch.sqrt(v + self.eps))
        return torch.addcmul(self.shift.squeeze(0), self.scale.squeeze(0), y)


# %% rows_of_a_table
class LayerNorm(nn.Module):
    """Everything becomes a table of tokens first, and gets its shape back at the end."""

    def __init__(self, d_model: int, eps: float = 1e-6):
        super().__init__()
        self.d_model = d_model
        self.eps = eps
        self.gamma = nn.Parameter(torch.full((d_model,), 1.0))
        self.beta = nn.Parameter(torch.full((d_model,), 0.0))

    def forward(self, x: Tensor) -> Tensor:
        rows = x.reshape(-1, self.d_model)
        rows = rows - rows.mean(dim=1, keepdim=True)
        rows = rows / (rows.pow(2).mean(dim=1, keepdim=True) + self.eps).pow(0.5)
        rows = rows * self.gamma + self.beta
        return rows.reshape(x.shape)


# %% rsqrt_weight_and_bias
class LayerNorm(nn.Module):
    def __init__(self, hidden_size, eps=1e-6):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(hidden_size))
        self.bias = nn.Parameter(torch.zeros(hidden_size))
        self.variance_epsilon = eps

    def forward(self, hidden_states):
        mean = hidden_states.mean(-1, keepdim=True)
        variance = (hidden_states - mean).pow(2).mean(-1, keepdim=True)
        hidden_states = (hidden_states - mean) * torch.rsqrt(variance + self.variance_epsilon)
        return self.weight * hidden_states + self.bias


# %% square_of_std_a_2_b_2
class LayerNorm(nn.Module):
    def __init__(self, features, eps=1e-6):
        super(LayerNorm, self).__init__()
        self.a_2 = nn.Parameter(torch.ones(features))
        self.b_2 = nn.Parameter(torch.zeros(features))
        self.eps = eps

    def forward(self, x):
        mean = x.mean(-1, keepdim=True)
        std = x.std(-1, keepdim=True, unbiased=False)
        return self.a_2 * (x - mean) / torch.sqrt(std**2 + self.eps) + self.b_2


# %% transposed
class LayerNorm(nn.Module):
    # statistics over the first axis of the transposed input
    def __init__(self, d_model, eps=1e-6):
        super().__init__()
        self.gain = nn.Parameter(torch.ones(d_model))
        self.offset = nn.Parameter(torch.zeros(d_model))
        self.eps = eps

    def forward(self, x):
        t = x.movedim(-1, 0)
        t = (t - t.mean(0)) / (t.var(0, unbiased=False) + self.eps) ** 0.5
        return t.movedim(0, -1) * self.gain + self.offset


# %% typed_and_documented
class LayerNorm(nn.Module):
    """Layer normalisation (Ba, Kiros, Hinton, 2016).

    Args:
        d_model (int): number of features of a token
        eps (float): added to the variance
    """

    gamma: nn.Parameter
    beta: nn.Parameter

    def __init__(self, d_model: int, eps: float = 1e-6) -> None:
        super().__init__()
        if d_model <= 0:
            raise ValueError(f"d_model must be positive, got {d_model}")
        self.d_model: int = d_model
        self.eps: float = eps
        self.gamma = nn.Parameter(torch.ones(self.d_model), requires_grad=True)
        self.beta = nn.Parameter(torch.zeros(self.d_model), requires_grad=True)

    @staticmethod
    def _moments(x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        mean = x.mean(dim=-1, keepdim=True)
        return mean, ((x - mean) ** 2).mean(dim=-1, keepdim=True)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Normalise the last axis of x."""
        assert x.shape[-1] == self.d_model, f"expected {self.d_model} features, got {x.shape[-1]}"
        mean, var = self._moments(x)
        return (x - mean) / torch.sqrt(var + self.eps) * self.gamma + self.beta

    def extra_repr(self) -> str:
        return f"{self.d_model}, eps={self.eps}"


# %% var_mean
class LayerNorm(nn.Module):
    def __init__(self, d_model, eps=1e-6):
        super().__init__()
        self.gamma = nn.Parameter(torch.ones(d_model))
        self.beta = nn.Parameter(torch.zeros(d_model))
        self.eps = eps

    def forward(self, x):
        var, mean = torch.var_mean(x, dim=-1, unbiased=False, keepdim=True)
        return self.gamma * (x - mean) / (var + self.eps).sqrt() + self.beta
