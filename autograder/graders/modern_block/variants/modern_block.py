# %% members_of_llama
class ModernBlock(nn.Module):
    def __init__(self, dim, n_heads, hidden_dim):
        super().__init__()
        self.attention_norm = RMSNorm(dim)
        self.attention = MultiHeadAttention(dim, n_heads)
        self.ffn_norm = RMSNorm(dim)
        self.feed_forward = SwiGLU(dim, hidden_dim)

    def forward(self, x, mask=None):
        h = self.attention_norm(x)
        out = x.clone()
        out += self.attention(query=h, key=h, value=h, attention_mask=mask)
        return out + self.feed_forward(self.ffn_norm(out))


# %% residual_wrappers
class PreNorm(nn.Module):
    def __init__(self, d_model, fn):
        super().__init__()
        self.norm, self.fn = RMSNorm(d_model), fn

    def forward(self, x, *args):
        return x + self.fn(self.norm(x), *args)


class SelfAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        self.inner = MultiHeadAttention(d_model, num_heads)

    def forward(self, x, mask):
        return self.inner(x, x, x, mask)


class ModernBlock(nn.Module):
    def __init__(self, d_model, num_heads, d_ff):
        super().__init__()
        self.layers = nn.ModuleList(
            [PreNorm(d_model, SelfAttention(d_model, num_heads)), PreNorm(d_model, SwiGLU(d_model, d_ff))]
        )

    def forward(self, x, attention_mask=None):
        attend, transform = self.layers
        return transform(attend(x, attention_mask))


# %% everything_fused_inside
class ModernBlock(nn.Module):
    """Bare parameters, one matrix for query, key and value, one for gate and up; einsum."""

    def __init__(self, d_model, num_heads, d_ff):
        super().__init__()
        self.n, self.dk = num_heads, d_model // num_heads
        self.qkv = nn.Parameter(torch.randn(d_model, 3 * d_model) / d_model**0.5)
        self.out = nn.Parameter(torch.randn(d_model, d_model) / d_model**0.5)
        self.gate_up = nn.Parameter(torch.randn(d_model, 2 * d_ff) / d_model**0.5)
        self.down = nn.Parameter(torch.randn(d_ff, d_model) / d_ff**0.5)
        self.gains = nn.Parameter(torch.ones(2, d_model))

    def _norm(self, x, i):
        return self.gains[i] * x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-5)

    def forward(self, x, attention_mask=None):
        b, t, d = x.shape
        q, k, v = (self._norm(x, 0) @ self.qkv).view(b, t, 3, self.n, self.dk).unbind(2)
        scores = torch.einsum("bqhd,bkhd->bhqk", q, k) * self.dk**-0.5
        if attention_mask is not None:
            scores = scores.masked_fill(~attention_mask.bool()[:, None, None], float("-inf"))
        mixed = torch.einsum("bhqk,bkhd->bqhd", scores.softmax(-1), v).reshape(b, t, d)
        h = x + mixed @ self.out
        g, u = (self._norm(h, 1) @ self.gate_up).chunk(2, dim=-1)
        return h + (g * g.sigmoid() * u) @ self.down


# %% torchs_own_parts
class ModernBlock(nn.Module):
    def __init__(self, d_model, num_heads, d_ff):
        super().__init__()
        self.ln1 = nn.RMSNorm(d_model, eps=1e-5)
        self.mha = nn.MultiheadAttention(d_model, num_heads, bias=False, batch_first=True)
        self.ln2 = nn.RMSNorm(d_model, eps=1e-5)
        self.w1, self.w3 = (nn.Linear(d_model, d_ff, bias=False) for _ in range(2))
        self.w2 = nn.Linear(d_ff, d_model, bias=False)

    def forward(self, x, attention_mask=None):
        ignored = None if attention_mask is None else attention_mask == 0
        y = self.ln1(x)
        x = x + self.mha(y, y, y, key_padding_mask=ignored, need_weights=False)[0]
        y = self.ln2(x)
        return x + self.w2(F.silu(self.w1(y)) * self.w3(y))


# %% a_matrix_for_each_head
class Head(nn.Module):
    def __init__(self, d_model, d_k):
        super().__init__()
        self.q, self.k, self.v = (nn.Parameter(torch.randn(d_model, d_k) / 9) for _ in range(3))

    def forward(self, x, mask):
        scores = (x @ self.q) @ (x @ self.k).mT / math.sqrt(self.q.shape[1])
        if mask is not None:
            scores = scores + torch.where(mask[:, None, :] > 0, 0.0, -torch.inf)
        return torch.softmax(scores, -1) @ (x @ self.v)


class ModernBlock(nn.Module):
    def __init__(self, d_model, num_heads, d_ff):
        super().__init__()
        self.heads = nn.ModuleList([Head(d_model, d_model // num_heads) for _ in range(num_heads)])
        self.merge = nn.Linear(d_model, d_model, bias=False)
        self.norms = nn.ModuleList([RMSNorm(d_model), RMSNorm(d_model)])
        self.ffn = SwiGLU(d_model, d_ff)

    def forward(self, x, attention_mask=None):
        normed = self.norms[0](x)
        x = x + self.merge(torch.cat([head(normed, attention_mask) for head in self.heads], dim=-1))
        return x + self.ffn(self.norms[1](x))


# %% factory_function
class _Block(nn.Module):
    def __init__(self, parts):
        super().__init__()
        self.parts = nn.ModuleDict(parts)

    def forward(self, stream, attention_mask=None):
        seen = self.parts["before_attention"](stream)
        stream = torch.add(stream, self.parts["attend"](seen, seen, seen, attention_mask))
        return torch.add(stream, self.parts["transform"](self.parts["before_transform"](stream)))


def ModernBlock(d_model, num_heads, d_ff):
    return _Block({
        "transform": SwiGLU(d_model, d_ff),
        "attend": MultiHeadAttention(d_model, num_heads),
        "before_transform": RMSNorm(d_model),
        "before_attention": RMSNorm(d_model),
    })


# %% heir_of_the_given_attention
class ModernBlock(MultiHeadAttention):
    def __init__(self, d_model, num_heads, d_ff):
        super().__init__(d_model, num_heads)
        self.first, self.second = RMSNorm(d_model), RMSNorm(d_model)
        self.mlp = SwiGLU(d_model, d_ff)

    def forward(self, x, attention_mask=None):
        n = self.first(x)
        h = super().forward(n, n, n, attention_mask) + x
        return self.mlp(self.second(h)) + h
