# %% wrong_a082
#: SiLU acts on the product of gate and up, not on the gate alone.
#: named: silu_of_the_product
class SwiGLU(nn.Module):
    """Kolme matriisia."""

    def __init__(self, d_model: int, d_ff: int):
        super().__init__()
        self.portti = nn.Linear(d_model, d_ff, bias=False)
        self.ylos = nn.Linear(d_model, d_ff, bias=False)
        self.alas = nn.Linear(d_ff, d_model, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        tulo = self.portti(x) * self.ylos(x)
        return self.alas(F.silu(tulo))


# %% wrong_a083
#: d_ff is shrunk to two thirds inside the layer, though exactly d_ff hidden units are asked for.
#: named: another_width
class SwiGLU(nn.Module):
    def __init__(self, d_model: int, d_ff: int):
        super().__init__()
        units = int(2 * d_ff / 3)           # so that it has as many weights as with two matrices
        self.w1 = nn.Linear(d_model, units, bias=False)
        self.w3 = nn.Linear(d_model, units, bias=False)
        self.w2 = nn.Linear(units, d_model, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        return self.w2(F.silu(self.w1(x)) * self.w3(x))


# %% wrong_a084
#: SiLU is written as z * exp(z) / (1 + exp(z)), which becomes nan as soon as a gate is large.
#: named: exp_overflows
class SwiGLU(nn.Module):
    """down(silu(gate(x)) * up(x)): three linear layers without bias."""

    def __init__(self, d_model: int, d_ff: int):
        super().__init__()
        init = lambda fan_in, fan_out: nn.Parameter(torch.randn(fan_in, fan_out) / math.sqrt(fan_in))
        self.W_gate = init(d_model, d_ff)
        self.W_up = init(d_model, d_ff)
        self.W_down = init(d_ff, d_model)

    @staticmethod
    def swish(z):
        e = torch.exp(z)
        return z * e / (1 + e)

    def forward(self, x: Tensor) -> Tensor:
        return (self.swish(x @ self.W_gate) * (x @ self.W_up)) @ self.W_down


# %% right_a085
class SwiGLU(nn.Module):
    def __init__(self, d_model: int, d_ff: int):
        super().__init__()
        self.wide = nn.Linear(d_model, 2 * d_ff, bias=False)
        self.back = nn.Parameter(nn.init.xavier_uniform_(torch.empty(d_model, d_ff)))

    def forward(self, x: Tensor) -> Tensor:
        signal, gate = self.wide(x).tensor_split(2, dim=-1)
        return F.linear(torch.sigmoid(gate) * gate * signal, self.back)


# %% wrong_b017
#: SiLU acts on the product of gate and up, not on the gate alone.
#: named: silu_of_the_product
class SwiGLU(nn.Module):
    def __init__(self, d_model: int, d_ff: int):
        super().__init__()
        self.gate = nn.Linear(d_model, d_ff, bias=False)
        self.up = nn.Linear(d_model, d_ff, bias=False)
        self.down = nn.Linear(d_ff, d_model, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        return self.down(F.silu(self.gate(x) * self.up(x)))


# %% wrong_b018
#: d_ff is shrunk to two thirds and rounded to a multiple inside the layer, so there are not
#: exactly d_ff hidden units.
#: named: another_width
class SwiGLU(nn.Module):
    def __init__(self, d_model: int, d_ff: int, multiple_of: int = 8):
        super().__init__()
        hidden_dim = int(2 * d_ff / 3)
        hidden_dim = multiple_of * ((hidden_dim + multiple_of - 1) // multiple_of)

        self.w1 = nn.Linear(d_model, hidden_dim, bias=False)
        self.w2 = nn.Linear(hidden_dim, d_model, bias=False)
        self.w3 = nn.Linear(d_model, hidden_dim, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        return self.w2(F.silu(self.w1(x)) * self.w3(x))


# %% wrong_b019
#: Swish gets a learned beta: the layer has one more parameter than the three matrices, and is SiLU
#: only before the first step of training.
#: named: beta_is_learned
class Swish(nn.Module):
    """Swish activation: z * sigmoid(beta * z)."""

    def __init__(self):
        super().__init__()
        self.beta = nn.Parameter(torch.tensor(1.0))

    def forward(self, z: Tensor) -> Tensor:
        return z * torch.sigmoid(self.beta * z)


class SwiGLU(nn.Module):
    """down(silu(gate(x)) * up(x)): three linear layers without bias."""

    def __init__(self, d_model: int, d_ff: int):
        super().__init__()
        self.activation = Swish()
        self.gate_proj = nn.Linear(d_model, d_ff, bias=False)
        self.up_proj = nn.Linear(d_model, d_ff, bias=False)
        self.down_proj = nn.Linear(d_ff, d_model, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        gated = self.activation(self.gate_proj(x)) * self.up_proj(x)
        return self.down_proj(gated)


# %% wrong_b020
#: The sigmoid is written as e^z / (1 + e^z), which is inf / inf = nan for large positive gates.
#: named: exp_overflows
class SwiGLU(nn.Module):
    def __init__(self, d_model: int, d_ff: int):
        super().__init__()
        s_in, s_out = 1 / math.sqrt(d_model), 1 / math.sqrt(d_ff)
        self.W = nn.Parameter(s_in * torch.randn(d_model, d_ff))
        self.V = nn.Parameter(s_in * torch.randn(d_model, d_ff))
        self.W2 = nn.Parameter(s_out * torch.randn(d_ff, d_model))

    @staticmethod
    def silu(z):
        e = torch.exp(z)
        return z * (e / (1 + e))

    def forward(self, x: Tensor) -> Tensor:
        return (self.silu(x @ self.W) * (x @ self.V)) @ self.W2


# %% wrong_b021
#: F.glu gates with a plain sigmoid: this is GLU, the factor z of z * sigmoid(z) is missing.
#: named: sigmoid_gate
class SwiGLU(nn.Module):
    """down(silu(gate(x)) * up(x)), gate and up in one matrix"""

    def __init__(self, d_model: int, d_ff: int):
        super().__init__()
        self.in_proj = nn.Linear(d_model, 2 * d_ff, bias=False)
        self.out_proj = nn.Linear(d_ff, d_model, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        return self.out_proj(F.glu(self.in_proj(x), dim=-1))


# %% wrong_b022
#: The last linear layer has a bias: it was left at torch's default.
#: named: bias_left_in
class SwiGLU(nn.Module):
    def __init__(self, d_model: int, d_ff: int):
        super().__init__()
        self.puerta = nn.Sequential(nn.Linear(d_model, d_ff, bias=False), nn.SiLU())
        self.subida = nn.Linear(d_model, d_ff, bias=False)
        self.bajada = nn.Linear(d_ff, d_model)

    def forward(self, x: Tensor) -> Tensor:
        abierta = self.puerta(x)
        contenido = self.subida(x)
        return self.bajada(abierta * contenido)


# %% right_b023
class SwiGLU(nn.Module):
    def __init__(self, d_model: int, d_ff: int):
        super().__init__()
        both = torch.empty(2, d_ff, d_model)          # 0: up, 1: gate
        for half in both:
            nn.init.xavier_uniform_(half)
        self.both = nn.Parameter(both)
        self.back = nn.Parameter(nn.init.xavier_uniform_(torch.empty(d_model, d_ff)))

    def forward(self, x: Tensor) -> Tensor:
        up, z = torch.einsum("...m,kfm->k...f", x, self.both)
        return torch.einsum("...f,mf->...m", up * z * z.sigmoid(), self.back)


# %% right_b024
class SwiGLU(nn.Module):
    """down(silu(gate(x)) * up(x)): three linear layers without bias."""

    def __init__(self, d_model: int, d_ff: int):
        super().__init__()
        self.schichten = nn.ModuleDict({
            "runter": nn.Linear(d_ff, d_model, bias=False),
            "hoch": nn.Linear(d_model, d_ff, bias=False),
            "tor": nn.Linear(d_model, d_ff, bias=False),
        })
        self.aktivierung = nn.SiLU(inplace=True)

    def forward(self, x: Tensor) -> Tensor:
        offen = self.aktivierung(self.schichten["tor"](x))
        return self.schichten["runter"](self.schichten["hoch"](x) * offen)
