# %% wrong_norm_of_attention
#: The second norm acts on what the attention returned.
#: named: norm_of_what_attention_adds
class ModernBlock(nn.Module):
    def __init__(self, d_model, num_heads, d_ff):
        super().__init__()
        self.norm_1 = RMSNorm(d_model)
        self.attention = MultiHeadAttention(d_model, num_heads)
        self.norm_2 = RMSNorm(d_model)
        self.feed_forward = SwiGLU(d_model, d_ff)
    def forward(self, x, attention_mask=None):
        a = self.attention(*[self.norm_1(x)] * 3, attention_mask)
        h = x + a
        return h + self.feed_forward(self.norm_2(a))


# %% wrong_three_norms
#: Query, key and value have a norm each.
#: named: norms_for_query_key_and_value
class ModernBlock(nn.Module):
    def __init__(self, d_model, num_heads, d_ff):
        super().__init__()
        self.norm_q = RMSNorm(d_model)
        self.norm_k = RMSNorm(d_model)
        self.norm_v = RMSNorm(d_model)
        self.norm_2 = RMSNorm(d_model)
        self.num_heads = num_heads
        self.q = nn.Linear(d_model, d_model, bias=False)
        self.k = nn.Linear(d_model, d_model, bias=False)
        self.v = nn.Linear(d_model, d_model, bias=False)
        self.o = nn.Linear(d_model, d_model, bias=False)
        self.feed_forward = SwiGLU(d_model, d_ff)
    def forward(self, x, attention_mask=None):
        b, s, d = x.shape
        split = lambda t: t.view(b, s, self.num_heads, -1).transpose(1, 2)
        q, k, v = split(self.q(self.norm_q(x))), split(self.k(self.norm_k(x))), split(self.v(self.norm_v(x)))
        scores = q @ k.transpose(-1, -2) / q.size(-1) ** 0.5
        if attention_mask is not None:
            scores = scores.masked_fill(attention_mask[:, None, None, :] == 0, float("-inf"))
        a = (scores.softmax(-1) @ v).transpose(1, 2).reshape(b, s, d)
        h = x + self.o(a)
        return h + self.feed_forward(self.norm_2(h))


# %% right_a010
class ModernBlock(nn.Module):
    """h = x + attention(norm_1(x)), then h + feed_forward(norm_2(h))."""

    def __init__(self, d_model: int, num_heads: int, d_ff: int):
        super().__init__()
        plan = [
            (SwiGLU, (d_model, d_ff)), (RMSNorm, (d_model,)),
            (MultiHeadAttention, (d_model, num_heads)), (RMSNorm, (d_model,)),
        ]
        self.parts = nn.ModuleDict()
        for number, (make, sizes) in enumerate(plan):
            self.parts[f"part_{number}"] = make(*sizes)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        d, c, b, a = self.parts.values()
        y = a(x)
        h = x + b(y, y, y, attention_mask)
        return h + d(c(h))


# %% wrong_c027
#: The SwiGLU is built with two thirds of d_ff.
#: named: sizes_of_the_parts
class ModernBlock(nn.Module):
    """h = x + attention(norm_1(x)), then h + feed_forward(norm_2(h))."""

    def __init__(self, d_model: int, num_heads: int, d_ff: int):
        super().__init__()
        self.feed_forward = SwiGLU(d_model, 2 * d_ff // 3)
        self.attention = MultiHeadAttention(d_model, num_heads)
        self.norm_2 = RMSNorm(d_model)
        self.norm_1 = RMSNorm(d_model)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        normed = self.norm_1(x)
        h = x + self.attention(normed, normed, normed, attention_mask)
        return h + self.feed_forward(self.norm_2(h))


# %% wrong_c028
#: Two norms too many: the outputs of both sub-layers are normed as well.
#: named: a_norm_too_many
class ModernBlock(nn.Module):
    """h = x + attention(norm_1(x)), then h + feed_forward(norm_2(h))."""

    def __init__(self, d_model: int, num_heads: int, d_ff: int):
        super().__init__()
        self.norms = nn.ModuleList([RMSNorm(d_model) for _ in range(4)])
        self.attention = MultiHeadAttention(d_model, num_heads)
        self.feed_forward = SwiGLU(d_model, d_ff)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        normed = self.norms[0](x)
        h = x + self.norms[1](self.attention(normed, normed, normed, attention_mask))
        return h + self.norms[3](self.feed_forward(self.norms[2](h)))


# %% wrong_c029
#: The second norm takes x in place of h (parallel sub-layers).
#: named: feed_forward_does_not_see_h
class ModernBlock(nn.Module):
    """h = x + attention(norm_1(x)), then h + feed_forward(norm_2(h))."""

    def __init__(self, d_model: int, num_heads: int, d_ff: int):
        super().__init__()
        self.attention = MultiHeadAttention(d_model, num_heads)
        self.feed_forward = SwiGLU(d_model, d_ff)
        self.norm_1 = RMSNorm(d_model)
        self.norm_2 = RMSNorm(d_model)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        normed = self.norm_1(x)
        h = x + self.attention(normed, normed, normed, attention_mask)
        return h + self.feed_forward(self.norm_2(x))


# %% wrong_e046
#: h is x under a second name and += changes x in place.
#: named: input_is_changed
class ModernBlock(nn.Module):
    """h = x + attention(norm_1(x)), then h + feed_forward(norm_2(h))."""

    def __init__(self, d_model: int, num_heads: int, d_ff: int):
        super().__init__()
        self.norm_1 = RMSNorm(d_model)
        self.attention = MultiHeadAttention(d_model, num_heads)
        self.norm_2 = RMSNorm(d_model)
        self.feed_forward = SwiGLU(d_model, d_ff)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        normed = self.norm_1(x)
        h = x
        h += self.attention(normed, normed, normed, attention_mask)
        return h + self.feed_forward(self.norm_2(h))
