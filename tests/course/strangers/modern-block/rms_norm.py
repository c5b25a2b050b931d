# %% wrong_a074
#: gamma in float32 is multiplied after the cast, so half precision comes out as float32.
#: named: dtype_of_another
class RMSNorm(nn.Module):
    """Statistics in float32, then back to the type that came in, then the gain."""

    def __init__(self, d_model: int, eps: float = 1e-5):
        super().__init__()
        self.gamma = nn.Parameter(torch.ones(d_model))
        self.epsilon = eps

    def forward(self, x: Tensor) -> Tensor:
        kind = x.dtype
        wide = x.to(torch.promote_types(torch.float32, kind))
        power = wide.pow(2).mean(-1, keepdim=True)
        wide = wide * torch.rsqrt(power + self.epsilon)
        return self.gamma * wide.to(kind)


# %% wrong_a075
#: x.float() is the very same tensor where x is float32, and *= then writes into the caller's x.
#: named: input_is_changed
class RMSNorm(nn.Module):
    """RMSNorm(x) = gamma * x / sqrt(mean(x^2) + eps), over the features."""

    def __init__(self, d_model: int, eps: float = 1e-5):
        super().__init__()
        self.eps = eps
        self.gamma = nn.Parameter(torch.ones(d_model))

    def forward(self, x: Tensor) -> Tensor:
        y = x.float() if x.dtype in (torch.float16, torch.bfloat16) else x     # a wide copy
        scale = torch.rsqrt(y.square().mean(dim=-1, keepdim=True) + self.eps)
        y *= scale
        return (y * self.gamma).to(x.dtype)


# %% wrong_a076
#: gamma begins at zero and is used as 1 + gamma, while the statement lets gamma begin at one and
#: multiplies with it.
#: named: one_plus_gamma
class RMSNorm(nn.Module):
    """RMSNorm with a unit offset: easier to decay towards the identity."""

    def __init__(self, d_model: int, eps: float = 1e-5):
        super().__init__()
        self.eps = eps
        self.gamma = nn.Parameter(torch.zeros(d_model))

    def forward(self, x: Tensor) -> Tensor:
        u = x if x.dtype == torch.float64 else x.float()
        u = u / (u.square().mean(-1, keepdim=True) + self.eps).sqrt()
        u = u + self.gamma * u               # (1 + gamma) * u
        return u.type_as(x)


# %% wrong_a077
#: The squares are taken in the type of x, so in float16 they overflow or lose digits; only the
#: root is taken in float32.
#: named: squared_in_half_precision
class RMSNorm(nn.Module):
    def __init__(self, d_model: int, eps: float = 1e-5):
        super().__init__()
        self.gamma = nn.Parameter(torch.ones(d_model))
        self.eps = eps

    def forward(self, x: Tensor) -> Tensor:
        mean_square = (x * x).mean(dim=-1, keepdim=True)
        if mean_square.dtype in (torch.float16, torch.bfloat16):
            mean_square = mean_square.float()            # statistics in float32
        rms = (mean_square + self.eps).sqrt()
        return (x / rms * self.gamma).to(x.dtype)


# %% right_a078
class RMSNorm(nn.Module):
    NEOLBGE = {torch.float16: torch.float32, torch.bfloat16: torch.float32}

    def __init__(self, d_model: int, eps: float = 1e-5):
        super().__init__()
        self.gamma = nn.Parameter(torch.empty(d_model).fill_(1))
        self.jageun = eps

    def forward(self, x: Tensor) -> Tensor:
        u = x.to(self.NEOLBGE.get(x.dtype, x.dtype))
        jegop = torch.einsum('...i,...i->...', u, u).div(u.shape[-1]).unsqueeze(-1)
        gyeolgwa = u.div(jegop.add(self.jageun).sqrt()).mul(self.gamma.to(u.dtype))
        return gyeolgwa.to(dtype=x.dtype)


# %% wrong_b004
#: Everything is computed in the type of x, so squares in float16 overflow (or vanish) and
#: statistics of half precision are not taken in float32.
#: named: squared_in_half_precision
class RMSNorm(nn.Module):
    """RMSNorm(x) = gamma * x / sqrt(mean(x^2) + eps), over the features."""

    def __init__(self, d_model: int, eps: float = 1e-5):
        super().__init__()
        self.eps = eps
        self.gamma = nn.Parameter(torch.ones(d_model))

    def forward(self, x: Tensor) -> Tensor:
        mean_square = x.square().mean(dim=-1, keepdim=True)       # (..., 1)
        x_hat = x * torch.rsqrt(mean_square + self.eps)
        return (self.gamma * x_hat).to(x.dtype)


# %% wrong_b005
#: The cast back to the type of x happens before the multiplication by gamma, so a float32 gamma
#: makes the answer float32 for half precision.
#: named: dtype_of_another
class RMSNorm(torch.nn.Module):
    def __init__(self, d_model: int, eps: float = 1e-5):
        super().__init__()
        self.eps = eps
        self.gamma = nn.Parameter(torch.ones(d_model))

    def _norm(self, x):
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.eps)

    def forward(self, x: Tensor) -> Tensor:
        dtype = x.dtype
        if dtype in (torch.float16, torch.bfloat16):
            x = x.float()
        output = self._norm(x).to(dtype)
        return output * self.gamma


# %% wrong_b006
#: gamma is kept as an offset from one: it begins at 0 and the answer is multiplied by 1 + gamma,
#: so gamma is not the gain of the equation.
#: named: one_plus_gamma
class RMSNorm(nn.Module):
    """Port of the flax module: scale is initialised with zeros, (1 + scale) is applied."""

    def __init__(self, d_model: int, eps: float = 1e-5):
        super().__init__()
        self.d_model = d_model
        self.eps = eps
        self.gamma = nn.Parameter(torch.zeros((d_model,)))

    def forward(self, x: Tensor) -> Tensor:
        compute_dtype = torch.promote_types(x.dtype, torch.float32)
        inputs = x.to(compute_dtype)
        var = torch.mean(torch.square(inputs), dim=-1, keepdim=True)
        normed_inputs = inputs * torch.rsqrt(var + self.eps)
        normed_inputs = normed_inputs * (1 + self.gamma.to(compute_dtype))
        return normed_inputs.to(x.dtype)


# %% wrong_b007
#: The root mean square is computed under no_grad, so it counts as a constant and the gradient of x
#: is wrong.
#: named: gradient_is_cut
class RMSNorm(nn.Module):
    def __init__(self, d_model: int, eps: float = 1e-5):
        super().__init__()
        self.epsilon = eps
        self.gamma = nn.Parameter(torch.ones(d_model))

    def forward(self, x: Tensor) -> Tensor:
        large = x if x.dtype == torch.float64 else x.to(torch.float32)

        # la statistique n'a pas de paramètre à apprendre
        with torch.no_grad():
            moyenne = (large * large).mean(dim=-1, keepdim=True)
            racine = (moyenne + self.epsilon).sqrt()

        sortie = self.gamma * (large / racine)
        return sortie.to(dtype=x.dtype)


# %% wrong_b008
#: It divides by the root of the variance, so a mean is subtracted inside the statistics; tokens
#: with a mean other than 0 come out too large.
#: named: variance_in_the_root
class RMSNorm(nn.Module):
    """RMSNorm(x) = gamma * x / sqrt(mean(x^2) + eps), over the features.

    x (..., d_model), of any number of axes -> (..., d_model), of the same dtype
    """

    def __init__(self, d_model: int, eps: float = 1e-5):
        super().__init__()
        self.gamma = nn.Parameter(torch.ones(d_model))
        self.eps = eps

    def forward(self, x: Tensor) -> Tensor:
        t = x.type(torch.float32)                                # fp16 is not enough here
        sq = torch.var(t, dim=-1, unbiased=False, keepdim=True)  # mean of the squares, per token
        t = t / torch.sqrt(sq + self.eps)
        return (t * self.gamma).type(x.dtype)


# %% wrong_b009
#: eps is a lower bound of the mean square (clamp) and is not added under the root, so small tokens
#: come out too large.
#: named: eps_changed_on_the_way
class RMSNorm(nn.Module):
    def __init__(self, d_model: int, eps: float = 1e-5):
        super().__init__()
        self.scale = d_model ** 0.5
        self.min_norm = (d_model * eps) ** 0.5
        self.gamma = nn.Parameter(torch.ones(d_model))

    def forward(self, x: Tensor) -> Tensor:
        h = x.double() if x.dtype is torch.float64 else x.float()
        norm = torch.linalg.vector_norm(h, dim=-1, keepdim=True).clamp(min=self.min_norm)   # no division by 0
        return (h / norm * self.scale * self.gamma).to(x.dtype)


# %% right_b010
class RMSNorm(nn.Module):
    def __init__(self, d_model: int, eps: float = 1e-5):
        super().__init__()
        self.d, self.eps = d_model, eps
        self.register_parameter("gamma", nn.Parameter(torch.full((d_model,), 1.0)))

    def forward(self, x: Tensor) -> Tensor:
        a = x.to(torch.promote_types(x.dtype, torch.float32))
        power = torch.einsum("...i,...i->...", a, a) / self.d
        inv = (power + self.eps) ** -0.5
        g = self.gamma.to(a.dtype)
        return torch.einsum("...i,...,i->...i", a, inv, g).to(x.dtype)


# %% right_b011
class RMSNorm(nn.Module):
    """RMSNorm, one token after the other"""

    def __init__(self, d_model: int, eps: float = 1e-5):
        super().__init__()
        self.number_of_features = d_model
        self.small_number = eps
        ones = [1.0 for _ in range(d_model)]
        self.gamma = nn.Parameter(torch.tensor(ones))

    def forward(self, x: Tensor) -> Tensor:
        original_shape = x.shape
        original_type = x.dtype

        # all tokens below each other: (number of tokens, d_model)
        tokens = x.reshape(-1, self.number_of_features)
        if original_type != torch.float64:
            tokens = tokens.to(torch.float32)

        result = torch.zeros_like(tokens)
        for n in range(tokens.shape[0]):
            token = tokens[n]
            sum_of_squares = (token ** 2).sum()
            mean_of_squares = sum_of_squares / self.number_of_features
            root = torch.sqrt(mean_of_squares + self.small_number)
            result[n] = self.gamma * (token / root)

        return result.reshape(original_shape).to(original_type)
