# %% wrong_a088
#: Attention and SwiGLU run side by side on x (parallel block), so SwiGLU does not see what
#: attention returned.
#: named: feed_forward_does_not_see_h
class ModernBlock(nn.Module):
    """Both sub-layers in one sum: one line, and faster."""

    def __init__(self, d_model: int, num_heads: int, d_ff: int):
        super().__init__()
        self.attn_norm = RMSNorm(d_model)
        self.ffn_norm = RMSNorm(d_model)
        self.attn = MultiHeadAttention(d_model, num_heads)
        self.ffn = SwiGLU(d_model, d_ff)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        n = self.attn_norm(x)
        return x + self.attn(n, n, n, attention_mask) + self.ffn(self.ffn_norm(x))


# %% wrong_a089
#: Only the query is normed: key and value are x itself.
#: named: keys_are_not_normed
class ModernBlock(nn.Module):
    def __init__(self, d_model: int, num_heads: int, d_ff: int):
        super().__init__()
        self.peces = nn.ModuleDict({
            "norma_1": RMSNorm(d_model),
            "atencio": MultiHeadAttention(d_model, num_heads),
            "norma_2": RMSNorm(d_model),
            "swiglu": SwiGLU(d_model, d_ff),
        })

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        p = self.peces
        # la consulta mira les claus i els valors de la frase
        h = x + p["atencio"](p["norma_1"](x), x, x, attention_mask)
        return h + p["swiglu"](p["norma_2"](h))


# %% wrong_a090
#: The mask is asked for its truth with `if attention_mask:`, which stops with an error as soon as
#: a mask has more than one number.
#: named: mask_taken_for_a_truth
class ModernBlock(nn.Module):
    def __init__(self, d_model: int, num_heads: int, d_ff: int):
        super().__init__()
        self.norm_1 = RMSNorm(d_model)
        self.attention = MultiHeadAttention(d_model, num_heads)
        self.norm_2 = RMSNorm(d_model)
        self.feed_forward = SwiGLU(d_model, d_ff)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        normed = self.norm_1(x)
        if attention_mask:
            attended = self.attention(normed, normed, normed, attention_mask)
        else:
            attended = self.attention(normed, normed, normed)
        h = x + attended
        output = h + self.feed_forward(self.norm_2(h))
        return output


# %% right_a091
class ModernBlock(nn.Module):
    class Residual(nn.Module):
        def __init__(self, norm, inner):
            super().__init__()
            self.inner, self.norm = inner, norm

        def forward(self, stream, call):
            return call(self.inner, self.norm(stream)).add(stream)

    def __init__(self, d_model: int, num_heads: int, d_ff: int):
        super().__init__()
        self.steps = nn.ModuleList([
            self.Residual(RMSNorm(d_model), MultiHeadAttention(d_model, num_heads)),
            self.Residual(RMSNorm(d_model), SwiGLU(d_model, d_ff)),
        ])

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        h = self.steps[0](x, lambda attention, n: attention(n, n, n, attention_mask))
        return self.steps[1](h, lambda swiglu, n: swiglu(n))


# %% wrong_b029
#: The mask is turned round before it goes to attention, as in torch's own layer where True means
#: hidden: what may be attended is hidden.
#: named: mask_upside_down
class ModernBlock(nn.Module):
    def __init__(self, d_model: int, num_heads: int, d_ff: int):
        super().__init__()
        self.attn_norm = RMSNorm(d_model)
        self.attn = MultiHeadAttention(d_model, num_heads)
        self.ffn_norm = RMSNorm(d_model)
        self.ffn = SwiGLU(d_model, d_ff)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        padding = attention_mask
        if padding is not None:
            padding = padding == 0          # True = padding, has to be ignored
        y = self.attn_norm(x)
        h = x + self.attn(y, y, y, padding)
        return h + self.ffn(self.ffn_norm(h))


# %% wrong_b030
#: Only the query is normed: key and value are the raw x.
#: named: keys_are_not_normed
class ModernBlock(nn.Module):
    """h = x + attention(norm_1(x)), then h + feed_forward(norm_2(h)).

    Its parts are RMSNorm(d_model), MultiHeadAttention(d_model, num_heads), SwiGLU(d_model, d_ff).
    """

    def __init__(self, d_model: int, num_heads: int, d_ff: int):
        super().__init__()
        self.norm_1 = RMSNorm(d_model)
        self.norm_2 = RMSNorm(d_model)
        self.attention = MultiHeadAttention(d_model, num_heads)
        self.feed_forward = SwiGLU(d_model, d_ff)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        """x (batch, seq, d_model) -> (batch, seq, d_model)

        attention_mask (batch, seq), integer or bool: 1 or True = may be attended
        """
        h = x + self.attention(self.norm_1(x), x, x, attention_mask)
        return h + self.feed_forward(self.norm_2(h))


# %% wrong_b031
#: Both sub-layers get x (a parallel block): the second one is given norm_2(x) in place of
#: norm_2(h), so it does not see what attention found.
#: named: feed_forward_does_not_see_h
class ModernBlock(nn.Module):
    def __init__(self, d_model: int, num_heads: int, d_ff: int):
        super().__init__()
        self.ln_attn, self.ln_mlp = RMSNorm(d_model), RMSNorm(d_model)
        self.attn = MultiHeadAttention(d_model, num_heads)
        self.mlp = SwiGLU(d_model, d_ff)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        residual = x
        a = self.ln_attn(x)
        attn_output = self.attn(a, a, a, attention_mask)
        mlp_output = self.mlp(self.ln_mlp(x))
        return residual + attn_output + mlp_output


# %% wrong_b032
#: One norm serves both sub-layers: its gain is shared, where each sub-layer has a norm of its own.
#: named: one_norm_for_both
class ModernBlock(nn.Module):
    def __init__(self, d_model: int, num_heads: int, d_ff: int):
        super().__init__()
        self.n = RMSNorm(d_model)
        self.a = MultiHeadAttention(d_model, num_heads)
        self.f = SwiGLU(d_model, d_ff)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        t = self.n(x)
        x = x + self.a(t, t, t, attention_mask)
        x = x + self.f(self.n(x))
        return x


# %% wrong_b033
#: The second sum adds x in place of h, so what attention returned is lost from the stream.
#: named: second_residual_from_x
class ModernBlock(nn.Module):
    def __init__(self, d_model: int, num_heads: int, d_ff: int):
        super().__init__()
        self.rms1 = RMSNorm(d_model)
        self.mha = MultiHeadAttention(d_model, num_heads)
        self.rms2 = RMSNorm(d_model)
        self.swiglu = SwiGLU(d_model, d_ff)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        # first sub-layer
        normed = self.rms1(x)
        attended = self.mha(normed, normed, normed, attention_mask)
        h = attended + x

        # second sub-layer
        normed = self.rms2(h)
        transformed = self.swiglu(normed)
        output = transformed + x
        return output


# %% wrong_b034
#: Besides attention the stream itself is multiplied by the mask: x of padded tokens is set to
#: zero, though x is to be added as it is.
#: named: -
class ModernBlock(nn.Module):
    def __init__(self, d_model: int, num_heads: int, d_ff: int):
        super().__init__()
        self.norm1 = RMSNorm(d_model)
        self.self_attn = MultiHeadAttention(d_model, num_heads)
        self.norm2 = RMSNorm(d_model)
        self.ff = SwiGLU(d_model, d_ff)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        if attention_mask is not None:
            # padding carries no information, keep it out of the residual stream
            x = x * attention_mask.unsqueeze(-1).to(x.dtype)
        z = self.norm1(x)
        h = x + self.self_attn(z, z, z, attention_mask)
        return h + self.ff(self.norm2(h))


# %% right_b035
class PreNorm(nn.Module):
    def __init__(self, dim, fn):
        super().__init__()
        self.fn = fn
        self.norm = RMSNorm(dim)

    def forward(self, x, *args):
        return self.fn(self.norm(x), *args)


class Residual(nn.Module):
    def __init__(self, fn):
        super().__init__()
        self.fn = fn

    def forward(self, x, *args):
        return self.fn(x, *args) + x


class SelfAttention(nn.Module):
    """one tensor in all three roles"""

    def __init__(self, dim, heads):
        super().__init__()
        self.inner = MultiHeadAttention(dim, heads)

    def forward(self, t, mask):
        return self.inner(t, t, t, mask)


class ModernBlock(nn.Module):
    def __init__(self, d_model: int, num_heads: int, d_ff: int):
        super().__init__()
        self.ff = Residual(PreNorm(d_model, SwiGLU(d_model, d_ff)))
        self.attn = Residual(PreNorm(d_model, SelfAttention(d_model, num_heads)))

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        return self.ff(self.attn(x, attention_mask))


# %% right_b036
class ModernBlock(nn.Module):
    def __init__(self, d_model: int, num_heads: int, d_ff: int):
        super().__init__()
        uwaga = MultiHeadAttention(d_model, num_heads)
        siec = SwiGLU(d_model, d_ff)
        self.pary = nn.ModuleList([nn.ModuleList([RMSNorm(d_model), warstwa]) for warstwa in (uwaga, siec)])

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        strumien = x.clone()
        for numer, (norma, warstwa) in enumerate(self.pary):
            znormowany = norma(strumien)
            argumenty = (znormowany,) * 3 + (attention_mask,) if numer == 0 else (znormowany,)
            strumien = strumien + warstwa(*argumenty)
        return strumien
