# %% attention
def softmax(logits: Tensor, axis: int) -> Tensor:
    """jax.nn.softmax"""
    return torch.exp(logits - torch.logsumexp(logits, dim=axis, keepdim=True))


def attend(q: Tensor, k: Tensor, v: Tensor, allowed: Tensor) -> Tensor:
    """One sequence, one head: q (Q, D), k (K, D), v (K, V), allowed (Q, K) -> (Q, V)."""
    logits = torch.einsum("qd,kd->qk", q, k) * q.shape[-1] ** -0.5
    logits = torch.where(allowed, logits, -torch.inf)
    return torch.einsum("qk,kv->qv", softmax(logits, axis=-1), v)


def make_allowed(lead, q_len, k_len, attention_mask, mask_future, device):
    allowed = torch.ones(*lead, q_len, k_len, dtype=torch.bool, device=device)
    if attention_mask is not None:
        ones = (1,) * (len(lead) - 1)
        allowed = allowed & attention_mask.bool().reshape(lead[0], *ones, 1, k_len)
    if mask_future:
        rows = torch.arange(q_len, device=device)[:, None]
        cols = torch.arange(k_len, device=device)[None, :]
        allowed = allowed & (rows >= cols)
    return allowed


class Attention(nn.Module):
    """Scaled dot-product attention; with mask_future query i sees key j only if j <= i."""

    def __init__(self, mask_future: bool = False):
        super().__init__()
        self.mask_future = mask_future

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, attention_mask: Tensor | None = None
    ) -> Tensor:
        lead = tuple(query.shape[:-2])
        allowed = make_allowed(
            lead, query.shape[-2], key.shape[-2], attention_mask, self.mask_future, query.device
        )
        f = attend
        for _ in lead:  # one vmap for each leading axis
            f = torch.vmap(f)
        return f(query, key, value, allowed)


# %% encoder
from functools import partial, reduce


def position_code(pos: Tensor, feature: Tensor, d_model: int) -> Tensor:
    """One entry of the table of positions; both arguments are scalars."""
    angle = pos / 10000.0 ** ((feature - feature % 2) / d_model)
    return torch.where(feature % 2 == 0, torch.sin(angle), torch.cos(angle))


def position_table(length: int, d_model: int, device=None) -> Tensor:
    f = partial(position_code, d_model=d_model)
    over_features = torch.vmap(f, in_dims=(None, 0))
    over_both = torch.vmap(over_features, in_dims=(0, None))
    return over_both(
        torch.arange(length, device=device, dtype=torch.float32),
        torch.arange(d_model, device=device),
    )


class Encoder(nn.Module):
    """Embedding times sqrt(d_model), plus positions, dropout, then num_layers encoder layers."""

    def __init__(
        self, vocab_size: int, d_model: int, num_heads: int, d_ff: int, num_layers: int,
        dropout: float = 0.1, max_len: int = 512,
    ):
        super().__init__()
        self.d_model, self.rate, self.max_len = d_model, dropout, max_len
        self.embedding = nn.Embedding(vocab_size, d_model)
        self.layers = nn.ModuleList(
            EncoderLayer(d_model, num_heads, d_ff, dropout) for _ in range(num_layers)
        )

    def forward(self, tokens: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        # no state: the positions are computed anew each time
        embedded = math.sqrt(self.d_model) * self.embedding.weight[tokens.long()]
        positions = position_table(tokens.shape[-1], self.d_model, tokens.device)
        h = F.dropout(embedded + positions.to(embedded.dtype), self.rate, self.training)
        return reduce(lambda carry, layer: layer(carry, attention_mask), self.layers, h)


# %% encoder_layer
def dropout_fn(x: Tensor, rate: float, is_training: bool) -> Tensor:
    return F.dropout(x, p=rate, training=is_training)


def residual(f, norm, x, drop):
    """norm(x + drop(f(x))), a pure function of its arguments"""
    return norm(x + drop(f(x)))


class EncoderLayer(nn.Module):
    """Self-attention, then feed forward, each with dropout, residual and layer norm."""

    def __init__(self, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.1):
        super().__init__()
        self.rate = dropout
        self.self_attention = MultiHeadAttention(d_model, num_heads)
        self.feature_transformation = PositionWiseFeedForward(d_model, d_ff)
        self.layer_norm_1 = nn.LayerNorm(d_model)
        self.layer_norm_2 = nn.LayerNorm(d_model)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        drop = lambda h: dropout_fn(h, self.rate, self.training)
        attend_to_self = lambda h: self.self_attention(h, h, h, attention_mask)
        z = residual(attend_to_self, self.layer_norm_1, x, drop)
        return residual(self.feature_transformation, self.layer_norm_2, z, drop)


# %% feed_forward
from collections import OrderedDict


class PositionWiseFeedForward(nn.Sequential):
    """The same two-layer network at every position."""

    def __init__(self, d_model: int, d_ff: int):
        super().__init__(OrderedDict(
            linear1=nn.Linear(d_model, d_ff),
            relu=nn.ReLU(),
            linear2=nn.Linear(d_ff, d_model),
        ))


# %% multi_head_attention
from einops import rearrange


class MultiHeadAttention(nn.Module):
    """Attention in num_heads heads of d_k = d_model / num_heads features each."""

    def __init__(self, d_model: int, num_heads: int, mask_future: bool = False):
        super().__init__()
        d_k, rest = divmod(d_model, num_heads)
        if rest != 0:
            raise ValueError(f"{d_model=} is not a multiple of {num_heads=}")
        self.num_heads = num_heads
        self.w_query, self.w_key, self.w_value, self.w_out = [
            nn.Linear(d_model, d_model, bias=False) for _ in range(4)
        ]
        self.attention = Attention(mask_future=mask_future)

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, attention_mask: Tensor | None = None
    ) -> Tensor:
        def head(w_q, w_k, w_v):  # one head, its own slice of the three matrices
            return self.attention(
                F.linear(query, w_q), F.linear(key, w_k), F.linear(value, w_v), attention_mask
            )

        def split(linear):
            return rearrange(linear.weight, "(h d) m -> h d m", h=self.num_heads)

        heads = torch.vmap(head)(split(self.w_query), split(self.w_key), split(self.w_value))
        return self.w_out(rearrange(heads, "h b q d -> b q (h d)"))
