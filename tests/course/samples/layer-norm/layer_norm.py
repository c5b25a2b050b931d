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
