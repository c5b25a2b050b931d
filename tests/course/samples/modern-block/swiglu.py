# %% wrong_two_matrices
#: There is no gate, and no third matrix.
#: named: two_matrices_alone
class SwiGLU(nn.Module):
    def __init__(self, d_model, d_ff):
        super().__init__()
        self.up = nn.Linear(d_model, d_ff, bias=False)
        self.down = nn.Linear(d_ff, d_model, bias=False)
    def forward(self, x):
        return self.down(F.silu(self.up(x)))


# %% wrong_rounded_down
#: The width is rounded down to a multiple of 64.
#: named: another_width
class SwiGLU(nn.Module):
    def __init__(self, d_model, d_ff):
        super().__init__()
        d_ff = d_ff // 64 * 64
        self.gate = nn.Linear(d_model, d_ff, bias=False)
        self.up = nn.Linear(d_model, d_ff, bias=False)
        self.down = nn.Linear(d_ff, d_model, bias=False)
    def forward(self, x):
        return self.down(F.silu(self.gate(x)) * self.up(x))


# %% wrong_rounded
#: The width is rounded to the nearest multiple of 64.
#: named: another_width
class SwiGLU(nn.Module):
    def __init__(self, d_model, d_ff):
        super().__init__()
        d_ff = round(d_ff / 64) * 64
        self.gate = nn.Linear(d_model, d_ff, bias=False)
        self.up = nn.Linear(d_model, d_ff, bias=False)
        self.down = nn.Linear(d_ff, d_model, bias=False)
    def forward(self, x):
        return self.down(F.silu(self.gate(x)) * self.up(x))


# %% wrong_two_thirds
#: Two thirds are taken of the width again.
#: named: another_width
class SwiGLU(nn.Module):
    def __init__(self, d_model, d_ff):
        super().__init__()
        d_ff = int(2 * d_ff / 3)
        self.gate = nn.Linear(d_model, d_ff, bias=False)
        self.up = nn.Linear(d_model, d_ff, bias=False)
        self.down = nn.Linear(d_ff, d_model, bias=False)
    def forward(self, x):
        return self.down(F.silu(self.gate(x)) * self.up(x))


# %% wrong_einsum
#: The axes are named, so that there are three.
#: named: three_axes_expected
class SwiGLU(nn.Module):
    def __init__(self, d_model, d_ff):
        super().__init__()
        self.gate = nn.Linear(d_model, d_ff, bias=False)
        self.up = nn.Linear(d_model, d_ff, bias=False)
        self.down = nn.Linear(d_ff, d_model, bias=False)
    def forward(self, x):
        g = torch.einsum("b s d, f d -> b s f", x, self.gate.weight)
        u = torch.einsum("b s d, f d -> b s f", x, self.up.weight)
        return torch.einsum("b s f, d f -> b s d", F.silu(g) * u, self.down.weight)


# %% wrong_rearrange
#: The axes are named for einops, so that there are three.
#: named: three_axes_expected
import einops
class SwiGLU(nn.Module):
    def __init__(self, d_model, d_ff):
        super().__init__()
        self.gate_up = nn.Linear(d_model, 2*d_ff, bias=False)
        self.down = nn.Linear(d_ff, d_model, bias=False)
    def forward(self, x):
        g, u = einops.rearrange(self.gate_up(x), "b s (two f) -> two b s f", two=2)
        return self.down(F.silu(g) * u)
