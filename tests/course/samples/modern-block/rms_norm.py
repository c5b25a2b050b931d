# %% wrong_half_for_good
#: A call in half precision casts gamma itself.
#: named: gamma_is_cast_for_good
class RMSNorm(nn.Module):
    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.gamma = nn.Parameter(torch.ones(d_model))
        self.eps = eps
    def forward(self, x):
        self.gamma.data = self.gamma.data.to(x.dtype)
        w = x.float() if x.dtype in (torch.float16, torch.bfloat16) else x
        return (w * torch.rsqrt(w.pow(2).mean(-1, keepdim=True) + self.eps)).to(x.dtype) * self.gamma


# %% wrong_named_axes
#: The axes are named, so that there are three.
#: named: axes_are_counted
from einops import rearrange, reduce
class RMSNorm(nn.Module):
    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.gamma = nn.Parameter(torch.ones(d_model))
        self.eps = eps
    def forward(self, x):
        w = x.float() if x.dtype in (torch.float16, torch.bfloat16) else x
        ms = reduce(w ** 2, "b s d -> b s 1", "mean")
        return (w * torch.rsqrt(ms + self.eps) * self.gamma).to(x.dtype)


# %% wrong_no_parameter
#: The gain is a plain tensor.
#: named: gamma_is_no_parameter
class RMSNorm(nn.Module):
    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.gamma = torch.ones(d_model)
        self.eps = eps
    def forward(self, x):
        w = x.float() if x.dtype in (torch.float16, torch.bfloat16) else x
        return (w * torch.rsqrt(w.pow(2).mean(-1, keepdim=True) + self.eps) * self.gamma).to(x.dtype)


# %% wrong_d034
#: Einsum with the letters btc: works with exactly three axes only.
#: named: axes_are_counted
class RMSNorm(nn.Module):
    """RMSNorm(x) = gamma * x / sqrt(mean(x^2) + eps), over the features."""

    def __init__(self, d_model: int, eps: float = 1e-5):
        super().__init__()
        self.gamma = nn.Parameter(torch.ones(d_model))
        self.eps = eps

    def forward(self, x: Tensor) -> Tensor:
        wide = x if x.dtype == torch.float64 else x.float()
        mean_square = torch.einsum("btc,btc->bt", wide, wide) / x.shape[-1]
        scale = torch.rsqrt(mean_square + self.eps)
        return (self.gamma * wide * scale.unsqueeze(-1)).to(x.dtype)


# %% wrong_d035
#: The mean is over axis min(dim - 1, 2): right with one to three axes, another axis with four.
#: named: axes_are_counted
class RMSNorm(nn.Module):
    """RMSNorm(x) = gamma * x / sqrt(mean(x^2) + eps), over the features."""

    def __init__(self, d_model: int, eps: float = 1e-5):
        super().__init__()
        self.gamma = nn.Parameter(torch.ones(d_model))
        self.eps = eps

    def forward(self, x: Tensor) -> Tensor:
        wide = x.to(torch.promote_types(x.dtype, torch.float32))
        axis = min(x.dim() - 1, 2)
        mean_square = wide.square().mean(dim=axis, keepdim=True)
        return (self.gamma * (wide * torch.rsqrt(mean_square + self.eps))).to(x.dtype)


# %% wrong_d036
#: bmm and diagonal: works with exactly three axes only.
#: named: axes_are_counted
class RMSNorm(nn.Module):
    """RMSNorm(x) = gamma * x / sqrt(mean(x^2) + eps), over the features."""

    def __init__(self, d_model: int, eps: float = 1e-5):
        super().__init__()
        self.gamma = nn.Parameter(torch.ones(d_model))
        self.eps = eps

    def forward(self, x: Tensor) -> Tensor:
        wide = x if x.dtype == torch.float64 else x.float()
        products = torch.bmm(wide, wide.transpose(1, 2))                # (batch, seq, seq)
        mean_square = products.diagonal(dim1=1, dim2=2) / x.shape[2]    # (batch, seq)
        normed = wide / torch.sqrt(mean_square + self.eps)[:, :, None]
        return (self.gamma * normed).to(x.dtype)


# %% wrong_e041
#: gamma is a plain tensor that requires a gradient, not a parameter.
#: named: gamma_is_no_parameter
class RMSNorm(nn.Module):
    """RMSNorm(x) = gamma * x / sqrt(mean(x^2) + eps), over the features."""

    def __init__(self, d_model: int, eps: float = 1e-5):
        super().__init__()
        self.gamma = torch.ones(d_model, requires_grad=True)
        self.eps = eps

    def forward(self, x: Tensor) -> Tensor:
        wide = x if x.dtype == torch.float64 else x.float()
        mean_square = wide.square().mean(dim=-1, keepdim=True)
        return (self.gamma * wide * torch.rsqrt(mean_square + self.eps)).to(x.dtype)


# %% wrong_f051
#: Custom autograd.Function whose backward for gamma takes x in place of the normalised x.
#: named: backward_of_its_own_is_wrong_for_gamma
class Rescale(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, gamma, eps):
        wide = x.to(torch.promote_types(x.dtype, torch.float32))
        scale = torch.rsqrt(wide.square().mean(dim=-1, keepdim=True) + eps)
        ctx.save_for_backward(wide, gamma, scale)
        ctx.dtype = x.dtype
        return (gamma * (wide * scale)).to(x.dtype)

    @staticmethod
    def backward(ctx, upstream):
        wide, gamma, scale = ctx.saved_tensors
        upstream = upstream.to(wide.dtype)
        normed, inner = wide * scale, upstream * gamma
        to_x = scale * (inner - normed * (inner * normed).mean(dim=-1, keepdim=True))
        to_gamma = (upstream * wide).reshape(-1, wide.shape[-1]).sum(dim=0)
        return to_x.to(ctx.dtype), to_gamma.to(gamma.dtype), None


class RMSNorm(nn.Module):
    """RMSNorm(x) = gamma * x / sqrt(mean(x^2) + eps), over the features."""

    def __init__(self, d_model: int, eps: float = 1e-5):
        super().__init__()
        self.gamma = nn.Parameter(torch.ones(d_model))
        self.eps = eps

    def forward(self, x: Tensor) -> Tensor:
        return Rescale.apply(x, self.gamma, self.eps)


# %% wrong_f055
#: The gain is rounded to bfloat16 before it multiplies, seen only once gamma is not 1.
#: named: -
class RMSNorm(nn.Module):
    """RMSNorm(x) = gamma * x / sqrt(mean(x^2) + eps), over the features."""

    def __init__(self, d_model: int, eps: float = 1e-5):
        super().__init__()
        self.gamma = nn.Parameter(torch.ones(d_model))
        self.eps = eps

    def forward(self, x: Tensor) -> Tensor:
        wide = x if x.dtype == torch.float64 else x.float()
        scale = torch.rsqrt(wide.square().mean(dim=-1, keepdim=True) + self.eps)
        gain = self.gamma.bfloat16().to(wide.dtype)
        return (gain * (wide * scale)).to(x.dtype)
