# %% wrong_a042
#: x.var divides by d - 1 where the equation divides by d.
#: named: variance_over_n_minus_1
class LayerNorm(nn.Module):
    """
    Layer normalization over the last dimension.

    Args:
        d_model (int): number of features of a token.
        eps (float): small constant for numerical stability.
    """

    def __init__(self, d_model: int, eps: float = 1e-6):
        super().__init__()
        self.eps = eps
        self.gamma = nn.Parameter(torch.ones(d_model))   # learnable scale
        self.beta = nn.Parameter(torch.zeros(d_model))   # learnable shift

    def forward(self, x: Tensor) -> Tensor:
        # Compute statistics along the feature dimension
        mean = x.mean(dim=-1, keepdim=True)
        variance = x.var(dim=-1, keepdim=True)
        # Normalize
        x_normalized = (x - mean) / torch.sqrt(variance + self.eps)
        # Scale and shift
        return self.gamma * x_normalized + self.beta


# %% wrong_a043
#: Mean and variance are computed under no_grad, so the gradient takes them for constants.
#: named: gradient_is_cut
class LayerNorm(nn.Module):
    def __init__(self, d_model: int, eps: float = 1e-6):
        super().__init__()
        self.meritko = nn.Parameter(torch.ones(d_model))
        self.posun = nn.Parameter(torch.zeros(d_model))
        self.eps = eps

    def forward(self, x: Tensor) -> Tensor:
        # statistiky se neuci, gradient nepotrebuji
        with torch.no_grad():
            prumer = x.mean(-1, keepdim=True)
            rozptyl = ((x - prumer) ** 2).mean(-1, keepdim=True)
        return self.meritko * (x - prumer) / (rozptyl + self.eps).sqrt() + self.posun


# %% wrong_a044
#: The variance is the mean of the squares minus the square of the mean: with a large mean two
#: large numbers are subtracted and the digits are lost.
#: named: squares_that_cancel
class LayerNorm(nn.Module):
    """LayerNorm(x) = gamma * (x - mean) / sqrt(variance + eps) + beta, over the features."""

    def __init__(self, d_model: int, eps: float = 1e-6):
        super().__init__()
        self.gamma = nn.Parameter(torch.ones(d_model))
        self.beta = nn.Parameter(torch.zeros(d_model))
        self.eps = eps

    def forward(self, x: Tensor) -> Tensor:
        d = x.shape[-1]
        # one pass over the data: Var(X) = E[X^2] - E[X]^2
        s1 = x.sum(dim=-1, keepdim=True)
        s2 = (x * x).sum(dim=-1, keepdim=True)
        mean = s1 / d
        var = (s2 / d - mean * mean).clamp(min=0)
        return (x - mean) * torch.rsqrt(var + self.eps) * self.gamma + self.beta


# %% wrong_a045
#: Mean and variance run over all axes but the first, so the tokens of a sentence share one mean.
#: named: over_a_whole_sentence
class LayerNorm(nn.Module):
    def __init__(self, d_model: int, eps: float = 1e-6):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(d_model))
        self.bias = nn.Parameter(torch.zeros(d_model))

    def forward(self, x: Tensor) -> Tensor:
        dims = tuple(range(1, x.dim())) or (0,)     # everything but the batch
        mu = torch.mean(x, dim=dims, keepdim=True)
        sigma2 = torch.mean((x - mu) ** 2, dim=dims, keepdim=True)
        x_hat = (x - mu) / torch.sqrt(sigma2 + self.eps)
        return x_hat * self.weight + self.bias


# %% wrong_a046
#: gamma and beta are one number each instead of one number for each feature.
#: named: one_number_for_all_features
class LayerNorm(nn.Module):
    def __init__(self, d_model: int, eps: float = 1e-6):
        super().__init__()
        self.d, self.eps = d_model, eps
        self.gamma, self.beta = nn.Parameter(torch.ones(1)), nn.Parameter(torch.zeros(1))

    def forward(self, x: Tensor) -> Tensor:
        var, mean = torch.var_mean(x, dim=-1, correction=0, keepdim=True)
        return (x - mean).div((var + self.eps).sqrt()).mul(self.gamma).add(self.beta)


# %% right_a047
class LayerNorm(nn.Module):
    """Everything as sums over one index."""

    def __init__(self, d_model: int, eps: float = 1e-6):
        super().__init__()
        self.register_parameter('g', nn.Parameter(torch.full((d_model,), 1.0)))
        self.register_parameter('b', nn.Parameter(torch.full((d_model,), 0.0)))
        self.small = eps

    def forward(self, x: Tensor) -> Tensor:
        n = x.shape[-1]
        mean = torch.einsum('...i->...', x) / n
        centred = x - mean[..., None]
        variance = torch.einsum('...i,...i->...', centred, centred) / n
        return torch.einsum('...i,...,i->...i', centred, (variance + self.small) ** -0.5, self.g) + self.b


# %% right_a048
class LayerNorm(nn.Module):
    def __init__(self, d_model: int, eps: float = 1e-6):
        super().__init__()
        self.params = nn.ParameterDict({
            'bairitsu': nn.Parameter(torch.ones(d_model)),
            'zure': nn.Parameter(torch.zeros(d_model)),
        })
        self.eps = eps

    def forward(self, x: Tensor) -> Tensor:
        heikin = torch.mean(x, -1, True)
        sa = torch.sub(x, heikin)
        bunsan = torch.var(x, dim=-1, correction=0, keepdim=True)
        seiki = sa * torch.rsqrt(bunsan + self.eps)
        return torch.addcmul(self.params['zure'], seiki, self.params['bairitsu'])


# %% wrong_b049
#: torch.var divides by d - 1 when nothing is said: the variance is not the one of the equation.
#: named: variance_over_n_minus_1
class LayerNorm(nn.Module):
    def __init__(self, d_model: int, eps: float = 1e-6):
        super().__init__()
        self.eps = eps
        self.gamma = nn.Parameter(torch.ones(d_model))
        self.beta = nn.Parameter(torch.zeros(d_model))

    def forward(self, x: Tensor) -> Tensor:
        mean = x.mean(-1, keepdim=True)
        variance = x.var(-1, keepdim=True)
        x_hat = (x - mean) / torch.sqrt(variance + self.eps)
        return self.gamma * x_hat + self.beta


# %% wrong_b050
#: The variance is the mean of the squares less the square of the mean: a large mean takes all its
#: digits (and may leave a negative number under the root).
#: named: squares_that_cancel
class LayerNorm(nn.Module):
    """LayerNorm(x) = gamma * (x - mean) / sqrt(variance + eps) + beta, over the features.

    x (..., d_model) -> (..., d_model)
    """

    def __init__(self, d_model: int, eps: float = 1e-6):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(d_model))
        self.bias = nn.Parameter(torch.zeros(d_model))
        self.variance_epsilon = eps

    def forward(self, x: Tensor) -> Tensor:
        # both moments in one go: Var[x] = E[x^2] - E[x]^2
        m1 = x.mean(dim=-1, keepdim=True)
        m2 = (x * x).mean(dim=-1, keepdim=True)
        var = m2 - m1 * m1
        return (x - m1) * torch.rsqrt(var + self.variance_epsilon) * self.weight + self.bias


# %% wrong_b051
#: gamma multiplies the sum of x_hat and beta, so beta is scaled as well; it does not show while
#: beta is 0.
#: named: beta_before_gamma
class LayerNorm(nn.Module):
    """Layer normalisation over the last axis."""

    def __init__(self, d_model: int, eps: float = 1e-6):
        super().__init__()
        # Learnable scale, initialised with ones
        self.gamma = nn.Parameter(torch.ones(d_model))
        # Learnable shift, initialised with zeros
        self.beta = nn.Parameter(torch.zeros(d_model))
        self.eps = eps

    def _normalise(self, x: Tensor) -> Tensor:
        centred = x - x.mean(dim=-1, keepdim=True)
        variance = centred.square().mean(dim=-1, keepdim=True)
        return centred / (variance + self.eps).sqrt()

    def forward(self, x: Tensor) -> Tensor:
        # Normalise, then let the model shift and scale
        return (self._normalise(x) + self.beta).mul(self.gamma)


# %% wrong_b052
#: eps is added to the standard deviation behind the root, not to the variance under it: tokens
#: with a small variance come out wrong.
#: named: eps_outside_the_root
class LayerNorm(nn.Module):
    "Construct a layernorm module"

    def __init__(self, d_model: int, eps: float = 1e-6):
        super().__init__()
        self.a_2 = nn.Parameter(torch.ones(d_model))
        self.b_2 = nn.Parameter(torch.zeros(d_model))
        self.eps = eps

    def forward(self, x: Tensor) -> Tensor:
        mean = x.mean(-1, keepdim=True)
        std = (x - mean).pow(2).mean(-1, keepdim=True).sqrt()
        return self.a_2 * (x - mean) / (std + self.eps) + self.b_2


# %% wrong_b053
#: beta is a plain tensor and no parameter: it is never learned.
#: named: one_of_the_two_is_not_learned
class LayerNorm(nn.Module):
    def __init__(self, d_model: int, eps: float = 1e-6):
        super().__init__()
        self.scala = nn.Parameter(torch.ones(d_model))
        self.spostamento = torch.zeros(d_model, requires_grad=True)
        self.eps = eps

    def forward(self, x: Tensor) -> Tensor:
        media = x.mean(dim=-1, keepdim=True)
        scarto = x - media
        varianza = torch.mean(scarto ** 2, dim=-1, keepdim=True)
        return self.scala * scarto / torch.sqrt(varianza + self.eps) + self.spostamento.to(x.device)


# %% wrong_b054
#: Mean and variance run over all axes but the batch: all tokens of a sentence share one mean.
#: named: over_a_whole_sentence
class LayerNorm(nn.Module):
    def __init__(self, d_model: int, eps: float = 1e-6):
        super().__init__()
        self.gamma = nn.Parameter(torch.ones(d_model))
        self.beta = nn.Parameter(torch.zeros(d_model))
        self.eps = eps

    def forward(self, x: Tensor) -> Tensor:
        # everything that belongs to one sample of the batch
        axes = list(range(1, x.dim())) or [0]
        mu = x.mean(dim=axes, keepdim=True)
        sigma2 = ((x - mu) ** 2).mean(dim=axes, keepdim=True)
        return self.gamma * (x - mu) / torch.sqrt(sigma2 + self.eps) + self.beta


# %% right_b055
class LayerNorm(nn.Module):
    def __init__(self, d_model: int, eps: float = 1e-6):
        super().__init__()
        self.affine = nn.ParameterList([torch.zeros(d_model), torch.ones(d_model)])   # shift, scale
        self.extra = dict(eps=eps)

    def forward(self, x: Tensor) -> Tensor:
        shift, scale = self.affine
        v, m = torch.var_mean(x, dim=-1, correction=0, keepdim=True)
        return torch.addcmul(shift, scale, (x - m).div(v.add(self.extra["eps"]).sqrt()))


# %% right_b056
class LayerNorm(nn.Module):
    """feature after feature, as on paper"""

    def __init__(self, d_model: int, eps: float = 1e-6):
        super().__init__()
        self.how_many = d_model
        self.tiny = eps
        self.stretch = nn.Parameter(torch.tensor([1.0] * d_model))
        self.move = nn.Parameter(torch.tensor([0.0] * d_model))

    def forward(self, x: Tensor) -> Tensor:
        columns = x.unbind(dim=-1)              # d_model tensors without the last axis

        mean = sum(columns) / self.how_many
        differences = [column - mean for column in columns]

        variance = 0
        for difference in differences:
            variance = variance + difference * difference / self.how_many

        finished = []
        for i in range(self.how_many):
            normalised = differences[i] / (variance + self.tiny) ** 0.5
            finished.append(normalised * self.stretch[i] + self.move[i])
        return torch.stack(finished, dim=-1)
