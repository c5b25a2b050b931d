# %% einsum
class RMSNorm(nn.Module):
    def __init__(self, dim, epsilon=1e-5):
        super().__init__()
        self.gamma, self.epsilon = nn.Parameter(torch.ones(dim)), epsilon

    def forward(self, x):
        h = x.double()
        ms = torch.einsum("...d,...d->...", h, h) / h.shape[-1]
        return torch.einsum("...d,...,d->...d", h, (ms + self.epsilon) ** -0.5, self.gamma.double()).to(x)


# %% llama
class RMSNorm(torch.nn.Module):
    def __init__(self, dim: int, eps: float = 1e-5):
        super().__init__()
        self.eps = eps
        self.gamma = nn.Parameter(torch.ones(dim))

    def _norm(self, x):
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.eps)

    def forward(self, x):
        output = self._norm(x.float()).type_as(x)
        return output * self.gamma.type_as(x)


# %% loop_over_features
class RMSNorm(nn.Module):
    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.gamma = nn.Parameter(torch.full((d_model,), 1.0))
        self.register_buffer("eps", torch.tensor(eps))

    def forward(self, x):
        columns = [one.to(torch.float32) for one in x.unbind(-1)]
        total = 0
        for one in columns:
            total = total + one * one
        root = torch.sqrt(total / len(columns) + self.eps)
        return torch.stack([g * c / root for g, c in zip(self.gamma, columns)], dim=-1).to(x.dtype)


# %% norm_over_root_of_d
class RMSNorm(nn.Module):
    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.gamma = nn.Parameter(torch.empty(d_model))
        nn.init.ones_(self.gamma)
        self.eps = eps

    def forward(self, x):
        size = torch.linalg.vector_norm(x, dim=-1, keepdim=True, dtype=torch.promote_types(x.dtype, torch.float32))
        root = torch.hypot(size / math.sqrt(x.size(-1)), torch.full_like(size, self.eps**0.5))
        return (x / root * self.gamma).to(x.dtype)


# %% product_with_x_as_it_came
class RMSNorm(nn.Module):
    def __init__(self, size, eps=1e-5):
        super().__init__()
        self.register_parameter("gamma", nn.Parameter(torch.ones(size)))
        self.eps = eps

    def forward(self, x):
        inverse = 1 / (x.to(torch.float32) ** 2).mean(-1, True).add(self.eps).sqrt()
        return torch.mul(x * inverse, self.gamma).to(x.dtype)


# %% functional_inside
def rms(x, eps):
    return F.adaptive_avg_pool1d((x**2).reshape(1, -1, x.shape[-1]), 1).add(eps).sqrt().reshape(*x.shape[:-1], 1)


class RMSNorm(nn.Module):
    def __init__(self, features, epsilon=1e-5):
        nn.Module.__init__(self)
        self.gamma = nn.Parameter(torch.ones(features))
        self.rms = lambda x: rms(x, epsilon)

    def forward(self, x):
        wide = x.to(self.gamma.dtype)
        return (self.gamma * (wide / self.rms(wide))).to(x.dtype)


# %% eps_as_one_feature_more
class RMSNorm(nn.Module):
    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.gamma = nn.Parameter(torch.ones(d_model))
        self.d_model, self.eps = d_model, eps

    def forward(self, x):
        wide = x.double() if x.dtype is torch.float64 else x.float()
        more = wide.new_full((*wide.shape[:-1], 1), math.sqrt(self.eps * self.d_model))
        unit = F.normalize(torch.cat([wide, more], -1), dim=-1)[..., :-1]  # one feature more
        return (unit * math.sqrt(self.d_model) * self.gamma).to(dtype=x.dtype)
