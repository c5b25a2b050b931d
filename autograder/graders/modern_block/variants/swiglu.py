# %% llama
class SwiGLU(nn.Module):
    def __init__(self, dim: int, hidden_dim: int):
        super().__init__()
        self.w1 = nn.Linear(dim, hidden_dim, bias=False)
        self.w2 = nn.Linear(hidden_dim, dim, bias=False)
        self.w3 = nn.Linear(dim, hidden_dim, bias=False)

    def forward(self, x):
        return self.w2(F.silu(self.w1(x)) * self.w3(x))


# %% fused_gate_first
class SwiGLU(nn.Module):
    def __init__(self, d_model, d_ff):
        super().__init__()
        self.out = nn.Linear(d_ff, d_model, bias=False)
        self.both = nn.Linear(d_model, 2 * d_ff, bias=False)

    def forward(self, x):
        gate, value = self.both(x).chunk(2, dim=-1)
        return self.out(gate * torch.sigmoid(gate) * value)


# %% fused_value_first_and_interleaved
class SwiGLU(nn.Module):
    def __init__(self, size, inner):
        super().__init__()
        self.c_fc = nn.Linear(size, 2 * inner, bias=False)
        self.c_proj = nn.Linear(inner, size, bias=False)
        self.act = nn.SiLU()

    def forward(self, x):
        value, gate = self.c_fc(x).unflatten(-1, (-1, 2)).unbind(-1)
        return self.c_proj(value.mul(self.act(gate)))


# %% einsum_and_bare_matrices
class SwiGLU(nn.Module):
    def __init__(self, d, f):
        super().__init__()
        self.up = nn.Parameter(torch.randn(d, f) / d**0.5)
        self.down = nn.Parameter(torch.randn(f, d) / f**0.5)
        self.gate = nn.Parameter(torch.randn(d, f) / d**0.5)

    def forward(self, x):
        g, u = (torch.einsum("...d,df->...f", x, w) for w in (self.gate, self.up))
        return torch.einsum("...f,fd->...d", g / (1 + torch.exp(-g)) * u, self.down)


# %% one_parameter_for_all
class SwiGLU(nn.Module):
    def __init__(self, d_model, d_ff):
        super().__init__()
        self.weights = nn.Parameter(nn.init.xavier_uniform_(torch.empty(3, d_ff, d_model)))

    def forward(self, x):
        gate, up, down = self.weights
        return (F.silu(x @ gate.T) * (x @ up.T)) @ down


# %% own_classes_and_a_factory
class Linear(nn.Module):
    def __init__(self, n, m):
        super().__init__()
        self.weight = nn.Parameter(nn.init.trunc_normal_(torch.empty(m, n), std=(2 / (n + m)) ** 0.5))

    def forward(self, x):
        return F.linear(x, self.weight)


class Gated(nn.Module):
    def __init__(self, d_in, d_hidden):
        super().__init__()
        self.branch = nn.Sequential(Linear(d_in, d_hidden), nn.SiLU())
        self.content = Linear(d_in, d_hidden)

    def forward(self, x):
        return self.branch(x) * self.content(x)


def SwiGLU(d_model, d_ff):
    return nn.Sequential(Gated(d_model, d_ff), Linear(d_ff, d_model))


# %% loop_over_tokens
class SwiGLU(nn.Module):
    def __init__(self, d_model, d_ff):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(d_model, d_ff, bias=False) for _ in range(2)])
        self.layers.append(nn.Linear(d_ff, d_model, bias=False))

    def forward(self, x):
        rows = []
        for token in x.reshape(-1, x.shape[-1]):
            a, b = self.layers[0](token), self.layers[1](token)
            rows.append(self.layers[2](a * F.sigmoid(a) * b))
        return torch.stack(rows).reshape(x.shape)


# %% glu_of_torch
class SwiGLU(nn.Module):
    def __init__(self, d_model, d_ff):
        super().__init__()
        self.proj = nn.utils.skip_init(nn.Linear, d_model, 2 * d_ff, bias=False)
        nn.init.normal_(self.proj.weight, std=0.02)
        self.back = nn.Linear(d_ff, d_model, bias=False)

    def forward(self, x):
        u, g = self.proj(x).tensor_split(2, -1)
        return self.back(F.glu(torch.cat([g, g], -1)) * u)
