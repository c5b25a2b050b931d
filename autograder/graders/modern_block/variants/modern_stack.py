# %% list_comprehension
class ModernStack(nn.Module):
    def __init__(self, dim, heads, hidden, depth):
        super().__init__()
        self.final_norm = RMSNorm(dim)
        self.layers = nn.ModuleList([ModernBlock(dim, heads, hidden) for i in range(depth)])

    def forward(self, hidden_states, mask=None):
        for i, layer in enumerate(self.layers):
            hidden_states = layer(hidden_states, attention_mask=mask)
        return self.final_norm(hidden_states)


# %% add_module_and_getattr
class ModernStack(nn.Module):
    def __init__(self, d_model, num_heads, d_ff, num_layers):
        super().__init__()
        self.n = num_layers
        for i in range(num_layers):
            self.add_module("block_%d" % i, ModernBlock(d_model, num_heads, d_ff))
        self.add_module("ln_f", RMSNorm(d_model))

    def forward(self, x, attention_mask=None):
        for i in range(self.n):
            x = getattr(self, "block_%d" % i)(x, attention_mask)
        return self.ln_f(x)


# %% reduce_over_a_dict
from functools import reduce


class ModernStack(nn.Module):
    def __init__(self, d_model, num_heads, d_ff, num_layers):
        super().__init__()
        make = lambda: ModernBlock(d_model, num_heads, d_ff)
        self.blocks = nn.ModuleDict({str(i): make() for i in range(num_layers)})
        self.norm = RMSNorm(d_model)

    def forward(self, x, attention_mask=None):
        stream = reduce(lambda h, block: block(h, attention_mask), self.blocks.values(), x)
        return self.norm(stream)


# %% sequential_with_the_norm_inside
class ModernStack(nn.Sequential):
    def __init__(self, d_model, num_heads, d_ff, num_layers):
        blocks = [ModernBlock(d_model, num_heads, d_ff) for _ in range(num_layers)]
        super().__init__(*blocks, RMSNorm(d_model))

    def forward(self, x, attention_mask=None):
        *blocks, norm = self
        for block in blocks:
            x = block(x, attention_mask)
        return norm(x)


# %% recursive
class ModernStack(nn.Module):
    def __init__(self, d_model, num_heads, d_ff, num_layers):
        super().__init__()
        self.block = ModernBlock(d_model, num_heads, d_ff)
        last = num_layers == 1
        self.rest = RMSNorm(d_model) if last else ModernStack(d_model, num_heads, d_ff, num_layers - 1)
        self.last = last

    def forward(self, x, attention_mask=None):
        x = self.block(x, attention_mask)
        return self.rest(x) if self.last else self.rest(x, attention_mask)


# %% bare_gain_and_while
class ModernStack(nn.Module):
    def __init__(self, d_model, num_heads, d_ff, num_layers):
        super().__init__()
        self.blocks = nn.ModuleList()
        while len(self.blocks) < num_layers:
            self.blocks.append(ModernBlock(d_model, num_heads, d_ff))
        self.scale = nn.Parameter(torch.ones(1, 1, d_model))

    def forward(self, x, attention_mask=None):
        for block in self.blocks:
            x = block(x) if attention_mask is None else block(x, attention_mask)
        return x / (x**2).mean(-1, keepdim=True).add(1e-5).sqrt() * self.scale


# %% torchs_norm_and_own_blocks
class Own(nn.Module):
    def __init__(self, d, heads, hidden):
        super().__init__()
        self.n1, self.n2 = nn.RMSNorm(d, eps=1e-5), nn.RMSNorm(d, eps=1e-5)
        self.att = MultiHeadAttention(d, heads)
        self.w12, self.w3 = nn.Linear(d, 2 * hidden, bias=False), nn.Linear(hidden, d, bias=False)

    def forward(self, x, mask):
        n = self.n1(x)
        x = x + self.att(n, n, n, mask)
        gate, up = self.w12(self.n2(x)).chunk(2, -1)
        return x + self.w3(F.silu(gate) * up)


class ModernStack(nn.Module):
    def __init__(self, d_model, num_heads, d_ff, num_layers):
        super().__init__()
        self.own = nn.ModuleList(Own(d_model, num_heads, d_ff) for _ in range(num_layers))
        self.end = nn.RMSNorm(d_model, eps=1e-5)

    def forward(self, x, attention_mask=None):
        for one in self.own:
            x = one(x, attention_mask)
        return self.end(x)
