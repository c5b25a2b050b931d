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
