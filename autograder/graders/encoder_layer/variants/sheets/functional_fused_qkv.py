# %% attention
def visible(q: Tensor, k: Tensor, attention_mask: Tensor | None, causal: bool) -> Tensor:
    """1 where the query may see the key, 0 elsewhere, in the type of q."""
    seen = q.new_ones(q.size(-2), k.size(-2))
    if causal:
        seen = torch.tril(seen)
    if attention_mask is not None:
        between = (None,) * (q.dim() - 2)
        seen = seen * attention_mask.to(q)[(slice(None), *between)]
    return seen


def masked_softmax(scores: Tensor, seen: Tensor) -> Tensor:
    """Softmax over everything, hidden keys multiplied by zero, the rest brought back to sum one."""
    # a hidden score above all visible ones could push these to 0 / 0
    top = torch.where(seen > 0, scores, -math.inf).amax(-1, keepdim=True).detach()
    weights = F.softmax(scores.clamp(max=top), dim=-1) * seen
    total = weights.sum(-1, keepdim=True)
    return weights / total


class Attention(nn.Module):
    def __init__(self, mask_future: bool = False):
        super().__init__()
        self.mask_future = mask_future

    def forward(self, query, key, value, attention_mask=None):
        scores = torch.einsum("...qd,...kd->...qk", query, key) * query.size(-1) ** -0.5
        seen = visible(query, key, attention_mask, self.mask_future)
        return masked_softmax(scores, seen) @ value


# %% encoder
def sinusoid(length: int, features: int, like: Tensor) -> Tensor:
    """(length, features), computed on the fly."""
    pos = torch.arange(length, device=like.device).unsqueeze(-1)
    dim = torch.arange(features, device=like.device)
    angle = pos / 10000 ** ((dim - dim % 2) / features)
    return torch.where(dim % 2 == 0, angle.sin(), angle.cos()).to(like.dtype)


class Encoder(nn.Module):
    def __init__(
        self, vocab_size: int, d_model: int, num_heads: int, d_ff: int, num_layers: int,
        dropout: float = 0.1, max_len: int = 512,
    ):
        super().__init__()
        self.p, self.max_len = dropout, max_len
        self.embedding = nn.Embedding(vocab_size, d_model)
        self.layers = nn.ModuleList()
        for _ in range(num_layers):
            self.layers.append(EncoderLayer(d_model, num_heads, d_ff, dropout))

    def forward(self, tokens, attention_mask=None):
        n = tokens.size(-1)
        if n > self.max_len:
            raise ValueError(f"{n} tokens, at most {self.max_len} allowed")
        e = F.embedding(tokens, self.embedding.weight)
        d = e.size(-1)
        x = F.dropout(d**0.5 * e + sinusoid(n, d, e), self.p, training=self.training)
        for layer in self.layers:
            x = layer(x, attention_mask=attention_mask)
        return x


# %% encoder_layer
def add_norm(norm, x, y, p, training):
    return norm(x + F.dropout(y, p, training=training))


class EncoderLayer(nn.Module):
    def __init__(self, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.1):
        super().__init__()
        self.p = dropout
        self.self_attention = MultiHeadAttention(d_model, num_heads)
        self.feature_transformation = PositionWiseFeedForward(d_model, d_ff)
        self.layer_norm_1 = nn.LayerNorm(d_model)
        self.layer_norm_2 = nn.LayerNorm(d_model)

    def forward(self, x, attention_mask=None):
        y = self.self_attention(query=x, key=x, value=x, attention_mask=attention_mask)
        z = add_norm(self.layer_norm_1, x, y, self.p, self.training)
        return add_norm(self.layer_norm_2, z, self.feature_transformation(z), self.p, self.training)


# %% feed_forward
def affine(n_in: int, n_out: int) -> nn.Linear:
    return nn.Linear(in_features=n_in, out_features=n_out)


class ReLU(nn.Module):
    forward = staticmethod(F.relu)


class PositionWiseFeedForward(nn.Sequential):
    def __init__(self, d_model: int, d_ff: int):
        super().__init__()
        parts = dict(linear1=affine(d_model, d_ff), relu=ReLU(), linear2=affine(d_ff, d_model))
        for name, part in parts.items():
            setattr(self, name, part)


# %% multi_head_attention
def split(x: Tensor, heads: int) -> Tensor:
    return x.unflatten(-1, (heads, -1)).transpose(-3, -2)


def merge(x: Tensor) -> Tensor:
    return x.transpose(-3, -2).flatten(-2)


class MultiHeadAttention(nn.Module):
    """One matrix W_qkv of (3 d_model, d_model) holds the three transforms of the input."""

    def __init__(self, d_model: int, num_heads: int, mask_future: bool = False):
        super().__init__()
        if d_model % num_heads:
            raise ValueError(f"{num_heads} heads cannot share {d_model} features")
        self.h = num_heads
        self.w_qkv = nn.Linear(d_model, 3 * d_model, bias=False)
        self.w_o = nn.Linear(d_model, d_model, bias=False)
        self.attention = Attention(mask_future)

    def forward(self, query, key, value, attention_mask=None):
        ws = self.w_qkv.weight.chunk(3, dim=0)
        q, k, v = (split(F.linear(x, w), self.h) for x, w in zip((query, key, value), ws))
        return F.linear(merge(self.attention(q, k, v, attention_mask)), self.w_o.weight)
