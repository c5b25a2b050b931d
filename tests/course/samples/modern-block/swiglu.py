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


# %% right_a009
class SwiGLU(nn.Module):
    """down(silu(gate(x)) * up(x)): three linear layers without bias."""

    def __init__(self, d_model: int, d_ff: int):
        super().__init__()
        self.w = nn.ParameterList()
        self.w.append(nn.Parameter(torch.randn(d_ff, d_model) / math.sqrt(d_ff)))
        self.w.append(nn.Parameter(torch.randn(d_model, 2 * d_ff) / math.sqrt(d_model)))
        self.units = d_ff

    def forward(self, x: Tensor) -> Tensor:
        a, b = (x @ self.w[1]).split(self.units, dim=-1)
        return (a * F.silu(b)) @ self.w[0]


# %% wrong_c021
#: Only two thirds of d_ff hidden units.
#: named: another_width
class SwiGLU(nn.Module):
    """down(silu(gate(x)) * up(x)): three linear layers without bias."""

    def __init__(self, d_model: int, d_ff: int):
        super().__init__()
        hidden = int(2 * d_ff / 3)
        self.gate = nn.Linear(d_model, hidden, bias=False)
        self.up = nn.Linear(d_model, hidden, bias=False)
        self.down = nn.Linear(hidden, d_model, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        return self.down(F.silu(self.gate(x)) * self.up(x))


# %% wrong_c022
#: d_ff is rounded up to a multiple of 8 (right only for d_ff that is one).
#: named: another_width
class SwiGLU(nn.Module):
    """down(silu(gate(x)) * up(x)): three linear layers without bias."""

    def __init__(self, d_model: int, d_ff: int):
        super().__init__()
        hidden = 8 * math.ceil(d_ff / 8)
        self.w1 = nn.Linear(d_model, hidden, bias=False)
        self.w2 = nn.Linear(hidden, d_model, bias=False)
        self.w3 = nn.Linear(d_model, hidden, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        return self.w2(F.silu(self.w1(x)) * self.w3(x))


# %% wrong_c023
#: Gate and up are halves of d_ff units, so there are only d_ff / 2 hidden units.
#: named: another_width
class SwiGLU(nn.Module):
    """down(silu(gate(x)) * up(x)): three linear layers without bias."""

    def __init__(self, d_model: int, d_ff: int):
        super().__init__()
        half = max(1, d_ff // 2)
        self.both = nn.Linear(d_model, 2 * half, bias=False)
        self.down = nn.Linear(half, d_model, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        gate, up = self.both(x).chunk(2, dim=-1)
        return self.down(F.silu(gate) * up)


# %% wrong_c024
#: The gate has no matrix of its own: silu(up) * up.
#: named: two_matrices_alone
class SwiGLU(nn.Module):
    """down(silu(gate(x)) * up(x)): three linear layers without bias."""

    def __init__(self, d_model: int, d_ff: int):
        super().__init__()
        self.up = nn.Linear(d_model, d_ff, bias=False)
        self.down = nn.Linear(d_ff, d_model, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        up = self.up(x)
        return self.down(F.silu(up) * up)


# %% wrong_c025
#: SiLU acts on the product of gate and up.
#: named: silu_of_the_product
class SwiGLU(nn.Module):
    """down(silu(gate(x)) * up(x)): three linear layers without bias."""

    def __init__(self, d_model: int, d_ff: int):
        super().__init__()
        self.into = nn.Parameter(torch.randn(2, d_model, d_ff) / math.sqrt(d_model))
        self.back = nn.Parameter(torch.randn(d_ff, d_model) / math.sqrt(d_ff))

    def forward(self, x: Tensor) -> Tensor:
        gate, up = (x @ w for w in self.into)
        return F.silu(gate * up) @ self.back


# %% wrong_c026
#: F.glu: the gate passes a sigmoid in place of SiLU.
#: named: sigmoid_gate
class SwiGLU(nn.Module):
    """down(silu(gate(x)) * up(x)): three linear layers without bias."""

    def __init__(self, d_model: int, d_ff: int):
        super().__init__()
        self.down = nn.Linear(d_ff, d_model, bias=False)
        self.up_and_gate = nn.Linear(d_model, 2 * d_ff, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        return self.down(F.glu(self.up_and_gate(x), dim=-1))


# %% wrong_d037
#: Einsum with the letters bsd: works with exactly three axes only.
#: named: three_axes_expected
class SwiGLU(nn.Module):
    """down(silu(gate(x)) * up(x)): three linear layers without bias."""

    def __init__(self, d_model: int, d_ff: int):
        super().__init__()
        self.gate = nn.Parameter(torch.randn(d_model, d_ff) / math.sqrt(d_model))
        self.up = nn.Parameter(torch.randn(d_model, d_ff) / math.sqrt(d_model))
        self.down = nn.Parameter(torch.randn(d_ff, d_model) / math.sqrt(d_ff))

    def forward(self, x: Tensor) -> Tensor:
        gate = torch.einsum("bsd,df->bsf", x, self.gate)
        up = torch.einsum("bsd,df->bsf", x, self.up)
        return torch.einsum("bsf,fd->bsd", F.silu(gate) * up, self.down)


# %% wrong_d038
#: Convolutions of width 1 between transpose(1, 2): works with exactly three axes only.
#: named: -
class SwiGLU(nn.Module):
    """down(silu(gate(x)) * up(x)): three linear layers without bias."""

    def __init__(self, d_model: int, d_ff: int):
        super().__init__()
        self.gate = nn.Conv1d(d_model, d_ff, kernel_size=1, bias=False)
        self.up = nn.Conv1d(d_model, d_ff, kernel_size=1, bias=False)
        self.down = nn.Conv1d(d_ff, d_model, kernel_size=1, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        channels = x.transpose(1, 2)            # (batch, d_model, seq)
        hidden = F.silu(self.gate(channels)) * self.up(channels)
        return self.down(hidden).transpose(1, 2)


# %% wrong_d039
#: bmm after adding axes: works with one to three axes, raises with four.
#: named: three_axes_expected
class SwiGLU(nn.Module):
    """down(silu(gate(x)) * up(x)): three linear layers without bias."""

    def __init__(self, d_model: int, d_ff: int):
        super().__init__()
        self.gate = nn.Parameter(torch.randn(d_model, d_ff) / math.sqrt(d_model))
        self.up = nn.Parameter(torch.randn(d_model, d_ff) / math.sqrt(d_model))
        self.down = nn.Parameter(torch.randn(d_ff, d_model) / math.sqrt(d_ff))

    def forward(self, x: Tensor) -> Tensor:
        shape = x.shape
        while x.dim() < 3:
            x = x[None]
        batch = x.shape[0]
        gate = torch.bmm(x, self.gate.expand(batch, -1, -1))
        up = torch.bmm(x, self.up.expand(batch, -1, -1))
        return torch.bmm(F.silu(gate) * up, self.down.expand(batch, -1, -1)).reshape(shape)


# %% wrong_d040
#: Unpacks batch, seq, d_model from the shape: works with exactly three axes only.
#: named: three_axes_expected
class SwiGLU(nn.Module):
    """down(silu(gate(x)) * up(x)): three linear layers without bias."""

    def __init__(self, d_model: int, d_ff: int):
        super().__init__()
        self.both = nn.Linear(d_model, 2 * d_ff, bias=False)
        self.down = nn.Linear(d_ff, d_model, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        batch, seq, d_model = x.shape
        both = self.both(x.reshape(batch * seq, d_model)).reshape(batch, seq, 2, -1)
        gate, up = both.unbind(dim=2)
        return self.down(F.silu(gate) * up)


# %% wrong_e044
#: The three layers are in a Python list and are not registered.
#: named: not_learned
class SwiGLU(nn.Module):
    """down(silu(gate(x)) * up(x)): three linear layers without bias."""

    def __init__(self, d_model: int, d_ff: int):
        super().__init__()
        self.matrices = [
            nn.Linear(d_model, d_ff, bias=False),
            nn.Linear(d_model, d_ff, bias=False),
            nn.Linear(d_ff, d_model, bias=False),
        ]

    def forward(self, x: Tensor) -> Tensor:
        gate, up, down = self.matrices
        return down(F.silu(gate(x)) * up(x))


# %% wrong_f053
#: In training, if x requires a gradient, hidden units get one per cent of random noise.
#: named: -
class SwiGLU(nn.Module):
    """down(silu(gate(x)) * up(x)): three linear layers without bias."""

    def __init__(self, d_model: int, d_ff: int):
        super().__init__()
        self.gate = nn.Linear(d_model, d_ff, bias=False)
        self.up = nn.Linear(d_model, d_ff, bias=False)
        self.down = nn.Linear(d_ff, d_model, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        hidden = F.silu(self.gate(x)) * self.up(x)
        if self.training and x.requires_grad:
            hidden = hidden * (1 + 0.01 * torch.randn_like(hidden))
        return self.down(hidden)
