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
        self.eps, self.gamma = eps, nn.Parameter(torch.ones(dim))

    def _norm(self, x):
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.eps)

    def forward(self, x):
        return self._norm(x.float()).type_as(x) * self.gamma.type_as(x)


# %% loop_over_features
class RMSNorm(nn.Module):
    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.gamma = nn.Parameter(torch.full((d_model,), 1.0))
        self.register_buffer("eps", torch.tensor(eps))

    def forward(self, x):
        columns = [one.to(torch.float32) for one in x.unbind(-1)]
        root = torch.sqrt(sum(one * one for one in columns) / len(columns) + self.eps)
        return torch.stack([g * c / root for g, c in zip(self.gamma, columns)], dim=-1).to(x.dtype)


# %% length_over_root_of_d
class RMSNorm(nn.Module):
    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.gamma, self.eps = nn.Parameter(nn.init.ones_(torch.empty(d_model))), eps

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


# %% factory_and_functional
class Norm(nn.Module):
    def __init__(self, features, rms):
        super().__init__()
        self.gamma, self.rms = nn.Parameter(torch.ones(features)), rms

    def forward(self, x):
        wide = x.to(self.gamma.dtype)
        return (self.gamma * (wide / self.rms(wide))).to(x.dtype)


def RMSNorm(features, epsilon=1e-5):
    return Norm(features, lambda x: F.avg_pool1d((x**2).reshape(1, -1, features), features).add(epsilon).sqrt().view(*x.shape[:-1], 1))


# %% eps_as_one_feature_more
class RMSNorm(nn.Module):
    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.gamma, self.eps = nn.Parameter(torch.ones(d_model)), eps

    def forward(self, x):
        wide, root = x.double() if x.dtype is torch.float64 else x.float(), math.sqrt(x.shape[-1])
        more = wide.new_full((*wide.shape[:-1], 1), math.sqrt(self.eps) * root)
        return (F.normalize(torch.cat([wide, more], -1), dim=-1)[..., :-1] * root * self.gamma).to(dtype=x.dtype)
