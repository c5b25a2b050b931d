# %% wrong_own_backward
#: The backward takes the gradient of gamma from one row.
#: named: backward_of_its_own_adds_up_too_little
class _Norm(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, gamma, beta, eps):
        mean = x.mean(-1, keepdim=True)
        var = x.var(-1, keepdim=True, unbiased=False)
        inv = (var + eps).rsqrt()
        z = (x - mean) * inv
        ctx.save_for_backward(z, inv, gamma)
        return z * gamma + beta
    @staticmethod
    def backward(ctx, g):
        z, inv, gamma = ctx.saved_tensors
        gz = g * gamma
        gx = inv * (gz - gz.mean(-1, keepdim=True) - z * (gz * z).mean(-1, keepdim=True))
        return gx, (g * z).reshape(-1, g.shape[-1])[0], g.reshape(-1, g.shape[-1]).sum(0), None
class LayerNorm(nn.Module):
    def __init__(self, d_model, eps=1e-6):
        super().__init__()
        self.gamma = nn.Parameter(torch.ones(d_model))
        self.beta = nn.Parameter(torch.zeros(d_model))
        self.eps = eps
    def forward(self, x):
        return _Norm.apply(x, self.gamma, self.beta, self.eps)


# %% wrong_named_axes
#: The axes are named, so that there are three.
#: named: three_axes_expected
class LayerNorm(nn.Module):
    def __init__(self, d_model, eps=1e-6):
        super().__init__()
        self.gamma = nn.Parameter(torch.ones(d_model))
        self.beta = nn.Parameter(torch.zeros(d_model))
        self.eps = eps
    def forward(self, x):
        m = torch.einsum("bsd->bs", x)[..., None] / x.shape[-1]; v = ((x-m)**2).mean(-1, keepdim=True)
        return torch.einsum("bsd,d->bsd", (x - m) / torch.sqrt(v + self.eps), self.gamma) + self.beta


# %% wrong_gain_is_no_parameter
#: The gain is a plain tensor.
#: named: one_of_the_two_is_not_learned
class LayerNorm(nn.Module):
    def __init__(self, d_model, eps=1e-6):
        super().__init__()
        self.gamma = torch.ones(d_model)
        self.beta = nn.Parameter(torch.zeros(d_model))
        self.eps = eps
    def forward(self, x):
        m = x.mean(-1, keepdim=True); v = x.var(-1, keepdim=True, unbiased=False)
        return (x - m) / torch.sqrt(v + self.eps) * self.gamma + self.beta


# %% right_a005
class LayerNorm(nn.Module):
    """LayerNorm(x) = gamma * (x - mean) / sqrt(variance + eps) + beta, over the features."""

    def __init__(self, d_model: int, eps: float = 1e-6):
        super().__init__()
        self.numbers = nn.ParameterDict()
        self.numbers["u"] = nn.Parameter(torch.zeros(d_model))
        self.numbers["v"] = nn.Parameter(torch.ones(d_model))
        self.tiny = eps

    def forward(self, x: Tensor) -> Tensor:
        variance, mean = torch.var_mean(x, dim=-1, correction=0, keepdim=True)
        return self.numbers["u"] + self.numbers["v"] * (x - mean) * torch.rsqrt(variance + self.tiny)


# %% right_a006
class Rows(nn.Module):
    def __init__(self, size, starts):
        super().__init__()
        self.rows = nn.ParameterList([nn.Parameter(torch.full((size,), start)) for start in starts])


class LayerNorm(Rows):
    """LayerNorm(x) = gamma * (x - mean) / sqrt(variance + eps) + beta, over the features."""

    def __init__(self, d_model: int, eps: float = 1e-6):
        super().__init__(d_model, (0.0, 1.0))
        self.eps = eps

    def forward(self, x: Tensor) -> Tensor:
        moved, scaled = self.rows
        x = x - x.mean(-1, keepdim=True)
        root = (x.square().mean(-1, keepdim=True) + self.eps).sqrt()
        return x / root * scaled + moved


# %% wrong_d031
#: Einsum with the letters bsd: works with exactly three axes only.
#: named: three_axes_expected
class LayerNorm(nn.Module):
    """LayerNorm(x) = gamma * (x - mean) / sqrt(variance + eps) + beta, over the features."""

    def __init__(self, d_model: int, eps: float = 1e-6):
        super().__init__()
        self.gamma = nn.Parameter(torch.ones(d_model))
        self.beta = nn.Parameter(torch.zeros(d_model))
        self.eps = eps

    def forward(self, x: Tensor) -> Tensor:
        features = x.shape[-1]
        mean = torch.einsum("bsd->bs", x) / features
        centred = x - mean[..., None]
        variance = torch.einsum("bsd,bsd->bs", centred, centred) / features
        return self.gamma * centred / torch.sqrt(variance + self.eps)[..., None] + self.beta


# %% wrong_d032
#: Unpacks batch, seq, d_model from the shape: works with exactly three axes only.
#: named: three_axes_expected
class LayerNorm(nn.Module):
    """LayerNorm(x) = gamma * (x - mean) / sqrt(variance + eps) + beta, over the features."""

    def __init__(self, d_model: int, eps: float = 1e-6):
        super().__init__()
        self.gamma = nn.Parameter(torch.ones(d_model))
        self.beta = nn.Parameter(torch.zeros(d_model))
        self.eps = eps

    def forward(self, x: Tensor) -> Tensor:
        batch, seq, d_model = x.shape
        tokens = x.reshape(batch * seq, d_model)
        centred = tokens - tokens.mean(dim=1, keepdim=True)
        variance = centred.square().mean(dim=1, keepdim=True)
        normed = centred / torch.sqrt(variance + self.eps)
        return (self.gamma * normed + self.beta).reshape(batch, seq, d_model)


# %% wrong_d033
#: permute(0, 2, 1) and statistics over axis 1: works with exactly three axes only.
#: named: three_axes_expected
class LayerNorm(nn.Module):
    """LayerNorm(x) = gamma * (x - mean) / sqrt(variance + eps) + beta, over the features."""

    def __init__(self, d_model: int, eps: float = 1e-6):
        super().__init__()
        self.gamma = nn.Parameter(torch.ones(d_model))
        self.beta = nn.Parameter(torch.zeros(d_model))
        self.eps = eps

    def forward(self, x: Tensor) -> Tensor:
        columns = x.permute(0, 2, 1)        # (batch, d_model, seq)
        columns = columns - columns.mean(dim=1, keepdim=True)
        variance = columns.square().mean(dim=1, keepdim=True)
        normed = columns / torch.sqrt(variance + self.eps)
        return (self.gamma[:, None] * normed + self.beta[:, None]).permute(0, 2, 1)


# %% wrong_e042
#: beta is a buffer, not a parameter.
#: named: one_of_the_two_is_not_learned
class LayerNorm(nn.Module):
    """LayerNorm(x) = gamma * (x - mean) / sqrt(variance + eps) + beta, over the features."""

    def __init__(self, d_model: int, eps: float = 1e-6):
        super().__init__()
        self.gamma = nn.Parameter(torch.ones(d_model))
        self.register_buffer("beta", torch.zeros(d_model))
        self.eps = eps

    def forward(self, x: Tensor) -> Tensor:
        centred = x - x.mean(dim=-1, keepdim=True)
        variance = centred.square().mean(dim=-1, keepdim=True)
        return self.gamma * centred / torch.sqrt(variance + self.eps) + self.beta


# %% wrong_e043
#: x is changed in place: the mean is subtracted with -=.
#: named: input_is_changed
class LayerNorm(nn.Module):
    """LayerNorm(x) = gamma * (x - mean) / sqrt(variance + eps) + beta, over the features."""

    def __init__(self, d_model: int, eps: float = 1e-6):
        super().__init__()
        self.gamma = nn.Parameter(torch.ones(d_model))
        self.beta = nn.Parameter(torch.zeros(d_model))
        self.eps = eps

    def forward(self, x: Tensor) -> Tensor:
        x -= x.mean(dim=-1, keepdim=True)
        variance = x.square().mean(dim=-1, keepdim=True)
        return self.gamma * x / torch.sqrt(variance + self.eps) + self.beta


# %% wrong_f054
#: In evaluation the variance is mixed with an average of earlier training calls.
#: named: -
class LayerNorm(nn.Module):
    """LayerNorm(x) = gamma * (x - mean) / sqrt(variance + eps) + beta, over the features."""

    def __init__(self, d_model: int, eps: float = 1e-6):
        super().__init__()
        self.gamma = nn.Parameter(torch.ones(d_model))
        self.beta = nn.Parameter(torch.zeros(d_model))
        self.eps = eps
        self.usual = None

    def forward(self, x: Tensor) -> Tensor:
        centred = x - x.mean(dim=-1, keepdim=True)
        variance = centred.square().mean(dim=-1, keepdim=True)
        if self.training:
            now = variance.detach().mean()
            self.usual = now if self.usual is None else 0.9 * self.usual + 0.1 * now
        elif self.usual is not None:
            variance = 0.9 * variance + 0.1 * self.usual
        return self.gamma * centred / torch.sqrt(variance + self.eps) + self.beta


# %% wrong_f058
#: Mean and deviation are computed under no_grad, so the gradient for x is wrong.
#: named: gradient_is_cut
class LayerNorm(nn.Module):
    """LayerNorm(x) = gamma * (x - mean) / sqrt(variance + eps) + beta, over the features."""

    def __init__(self, d_model: int, eps: float = 1e-6):
        super().__init__()
        self.gamma = nn.Parameter(torch.ones(d_model))
        self.beta = nn.Parameter(torch.zeros(d_model))
        self.eps = eps

    def forward(self, x: Tensor) -> Tensor:
        with torch.no_grad():
            mean = x.mean(dim=-1, keepdim=True)
            root = torch.sqrt((x - mean).square().mean(dim=-1, keepdim=True) + self.eps)
        return self.gamma * (x - mean) / root + self.beta
