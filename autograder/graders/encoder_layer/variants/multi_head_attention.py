# %% clones_of_four
import copy

import torch.nn as nn


def clones(module, N):
    "Produce N identical layers."
    return nn.ModuleList([copy.deepcopy(module) for _ in range(N)])


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, h, mask_future=False):
        super(MultiHeadAttention, self).__init__()
        if d_model % h != 0:
            raise ValueError("d_model must be divisible by h")
        self.d_k = d_model // h
        self.h = h
        self.linears = clones(nn.Linear(d_model, d_model, bias=False), 4)
        self.attention = Attention(mask_future)

    def forward(self, query, key, value, mask=None):
        nbatches = query.size(0)
        query, key, value = [
            lin(x).view(nbatches, -1, self.h, self.d_k).transpose(1, 2)
            for lin, x in zip(self.linears, (query, key, value))
        ]
        x = self.attention(query, key, value, mask)
        x = x.transpose(1, 2).contiguous().view(nbatches, -1, self.h * self.d_k)
        return self.linears[-1](x)


# %% config_dataclass
from dataclasses import dataclass

import torch
from torch import nn


@dataclass(frozen=True)
class HeadConfig:
    d_model: int
    num_heads: int
    mask_future: bool = False

    def __post_init__(self):
        if self.d_model % self.num_heads != 0:
            raise ValueError(f"{self.num_heads} heads do not fit into {self.d_model} features")

    @property
    def d_k(self) -> int:
        return self.d_model // self.num_heads


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model: int, num_heads: int, mask_future: bool = False):
        super().__init__()
        self.config = HeadConfig(d_model, num_heads, mask_future)

        def projection() -> nn.Linear:
            return nn.Linear(d_model, d_model, bias=False)

        self.k_proj, self.v_proj, self.q_proj = projection(), projection(), projection()
        self.out_proj = projection()
        self.attention = Attention(self.config.mask_future)

    def forward(self, query, key, value, attention_mask=None):
        shape = (self.config.num_heads, self.config.d_k)
        q = self.q_proj(query).view(*query.shape[:2], *shape).transpose(1, 2)
        k = self.k_proj(key).view(*key.shape[:2], *shape).transpose(1, 2)
        v = self.v_proj(value).view(*value.shape[:2], *shape).transpose(1, 2)
        out: torch.Tensor = self.attention(q, k, v, attention_mask)
        return self.out_proj(out.transpose(1, 2).reshape(query.shape))


# %% einops_rearrange
from einops import rearrange
from jaxtyping import Bool, Float, Int

class MultiHeadAttention(nn.Module):
    def __init__(self, d_model: int, num_heads: int, mask_future: bool = False):
        super().__init__()
        assert d_model % num_heads == 0, "every head needs as many features"
        self.num_heads = num_heads
        self.query_transform, self.key_transform, self.value_transform, self.output_transform = (
            nn.Linear(d_model, d_model, bias=False) for _ in range(4)
        )
        self.attention = Attention(mask_future=mask_future)

    def forward(
        self,
        query: Float[Tensor, "batch query_len d_model"],
        key: Float[Tensor, "batch key_len d_model"],
        value: Float[Tensor, "batch key_len d_model"],
        attention_mask: Int[Tensor, "batch key_len"] | Bool[Tensor, "batch key_len"] | None = None,
    ) -> Float[Tensor, "batch query_len d_model"]:
        q = rearrange(self.query_transform(query), "b l (h d) -> b h l d", h=self.num_heads)
        k = rearrange(self.key_transform(key), "b l (h d) -> b h l d", h=self.num_heads)
        v = rearrange(self.value_transform(value), "b l (h d) -> b h l d", h=self.num_heads)
        heads = self.attention(q, k, v, attention_mask=attention_mask)
        return self.output_transform(rearrange(heads, "b h l d -> b l (h d)"))


# %% einsum_with_weights
import torch
from torch import Tensor, nn


class MultiHeadAttention(nn.Module):
    """Every projection is one einsum: the linear layers only hold the matrices."""

    def __init__(self, d_model: int, num_heads: int, mask_future: bool = False):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError(f"{d_model=} is not divisible by {num_heads=}")
        self.num_heads = num_heads
        self.query_transform = nn.Linear(d_model, d_model, bias=False)
        self.key_transform = nn.Linear(d_model, d_model, bias=False)
        self.value_transform = nn.Linear(d_model, d_model, bias=False)
        self.output_transform = nn.Linear(d_model, d_model, bias=False)
        self.attention = Attention(mask_future)

    def _project(self, linear: nn.Linear, x: Tensor) -> Tensor:
        weight = linear.weight.unflatten(0, (self.num_heads, -1))  # (heads, d_k, d_model)
        return torch.einsum("bsm,hdm->bhsd", x, weight)

    def forward(self, query, key, value, attention_mask=None):
        heads = self.attention(
            self._project(self.query_transform, query),
            self._project(self.key_transform, key),
            self._project(self.value_transform, value),
            attention_mask,
        )
        weight = self.output_transform.weight.unflatten(1, (self.num_heads, -1))
        return torch.einsum("bhsd,mhd->bsm", heads, weight)


# %% float32_only
import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    """Everything is made float32 on the way in."""

    def __init__(self, d_model, num_heads, mask_future=False):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError("d_model % num_heads != 0")
        self.num_heads, self.d_k = num_heads, d_model // num_heads
        linear = {"in_features": d_model, "out_features": d_model, "bias": False, "dtype": torch.float32}
        self.query_transform = nn.Linear(**linear)
        self.key_transform = nn.Linear(**linear)
        self.value_transform = nn.Linear(**linear)
        self.output_transform = nn.Linear(**linear)
        self.attention = Attention(mask_future)

    def forward(self, query, key, value, attention_mask=None):
        batch = query.size(0)
        q = self.query_transform(query.float()).view(batch, -1, self.num_heads, self.d_k)
        k = self.key_transform(key.float()).view(batch, -1, self.num_heads, self.d_k)
        v = self.value_transform(value.float()).view(batch, -1, self.num_heads, self.d_k)
        out = self.attention(q.transpose(1, 2), k.transpose(1, 2), v.transpose(1, 2), attention_mask)
        return self.output_transform(out.transpose(1, 2).reshape(batch, -1, self.num_heads * self.d_k))


# %% heads_before_the_batch
import torch
import torch.nn as nn


class MultiHeadAttention(nn.Module):
    def __init__(self, num_hiddens, num_heads, mask_future=False):
        super().__init__()
        if num_hiddens % num_heads != 0:
            raise ValueError("num_hiddens % num_heads != 0")
        self.num_heads = num_heads
        self.attention = Attention(mask_future)
        self.W_q = nn.Linear(num_hiddens, num_hiddens, bias=False)
        self.W_k = nn.Linear(num_hiddens, num_hiddens, bias=False)
        self.W_v = nn.Linear(num_hiddens, num_hiddens, bias=False)
        self.W_o = nn.Linear(num_hiddens, num_hiddens, bias=False)

    def forward(self, queries, keys, values, attention_mask=None):
        n = self.num_heads
        q, k, v = (
            torch.cat(linear(x).split(x.size(-1) // n, dim=2), dim=0)  # (heads * batch, seq, d_k)
            for linear, x in ((self.W_q, queries), (self.W_k, keys), (self.W_v, values))
        )
        mask = None if attention_mask is None else attention_mask.repeat(n, 1)
        out = self.attention(q, k, v, mask)
        return self.W_o(torch.cat(out.chunk(n, dim=0), dim=2))


# %% heads_in_the_batch
import torch.nn as nn


class MultiHeadAttention(nn.Module):
    """Heads are folded into the batch, so that attention needs three dimensions only."""

    def __init__(self, d_model, num_heads, mask_future=False):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError("d_model has to be divisible by num_heads")
        self.num_heads = num_heads
        self.query_transform = nn.Linear(d_model, d_model, bias=False)
        self.key_transform = nn.Linear(d_model, d_model, bias=False)
        self.value_transform = nn.Linear(d_model, d_model, bias=False)
        self.output_transform = nn.Linear(d_model, d_model, bias=False)
        self.attention = Attention(mask_future)

    def fold(self, x):
        b, s, d = x.shape
        x = x.reshape(b, s, self.num_heads, d // self.num_heads).permute(0, 2, 1, 3)
        return x.reshape(b * self.num_heads, s, -1)

    def forward(self, query, key, value, attention_mask=None):
        b, s, d = query.shape
        q = self.fold(self.query_transform(query))
        k = self.fold(self.key_transform(key))
        v = self.fold(self.value_transform(value))
        if attention_mask is not None:
            attention_mask = attention_mask.repeat_interleave(self.num_heads, dim=0)
        out = self.attention(q, k, v, attention_mask)
        out = out.reshape(b, self.num_heads, s, -1).permute(0, 2, 1, 3).reshape(b, s, d)
        return self.output_transform(out)


# %% heads_stacked_by_chunk
import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads, mask_future=False):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError
        self.num_heads = num_heads
        for name in ("query", "key", "value", "output"):
            setattr(self, f"{name}_transform", nn.Linear(d_model, d_model, bias=False))
        self.attention = Attention(mask_future)

    def forward(self, query, key, value, attention_mask=None):
        def split(x):
            return torch.stack(x.chunk(self.num_heads, dim=-1), dim=1)

        heads = self.attention(
            query=split(self.query_transform(query)),
            key=split(self.key_transform(key)),
            value=split(self.value_transform(value)),
            attention_mask=attention_mask,
        )
        return self.output_transform(torch.cat(heads.unbind(dim=1), dim=-1))


# %% key_query_value_proj
import torch.nn as nn


class MultiHeadAttention(nn.Module):
    def __init__(self, n_embd, n_head, mask_future=False):
        super().__init__()
        if n_embd % n_head:
            raise ValueError("n_embd % n_head != 0")
        # key, query, value projections for all heads
        self.key = nn.Linear(n_embd, n_embd, bias=False)
        self.query = nn.Linear(n_embd, n_embd, bias=False)
        self.value = nn.Linear(n_embd, n_embd, bias=False)
        # output projection
        self.proj = nn.Linear(n_embd, n_embd, bias=False)
        self.n_head = n_head
        self.attention = Attention(mask_future)

    def forward(self, q, k, v, attention_mask=None):
        B, T, C = q.size()
        S = k.size(1)
        k = self.key(k).view(B, S, self.n_head, C // self.n_head).transpose(1, 2)
        q = self.query(q).view(B, T, self.n_head, C // self.n_head).transpose(1, 2)
        v = self.value(v).view(B, S, self.n_head, C // self.n_head).transpose(1, 2)
        y = self.attention(q, k, v, attention_mask)
        y = y.transpose(1, 2).contiguous().view(B, T, C)
        return self.proj(y)


# %% loop_over_slices
import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model: int, num_heads: int, mask_future: bool = False):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError("d_model must be a multiple of num_heads")
        self.num_heads, self.d_k = num_heads, d_model // num_heads
        self.query_transform = nn.Linear(d_model, d_model, bias=False)
        self.key_transform = nn.Linear(d_model, d_model, bias=False)
        self.value_transform = nn.Linear(d_model, d_model, bias=False)
        self.output_transform = nn.Linear(d_model, d_model, bias=False)
        self.attention = Attention(mask_future)

    def forward(self, query, key, value, attention_mask=None):
        q, k, v = self.query_transform(query), self.key_transform(key), self.value_transform(value)
        heads = []
        for h in range(self.num_heads):
            s = slice(h * self.d_k, (h + 1) * self.d_k)
            heads.append(self.attention(q[..., s], k[..., s], v[..., s], attention_mask))
        return self.output_transform(torch.cat(heads, dim=-1))


# %% members_in_a_list_too
import torch.nn as nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads, mask_future=False):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError("not divisible")
        self.num_heads = num_heads
        self.Wq = nn.Linear(d_model, d_model, bias=False)
        self.Wk = nn.Linear(d_model, d_model, bias=False)
        self.Wv = nn.Linear(d_model, d_model, bias=False)
        self.Wo = nn.Linear(d_model, d_model, bias=False)
        self.projections = nn.ModuleList([self.Wq, self.Wk, self.Wv])
        self.attention = Attention(mask_future)

    def forward(self, query, key, value, attention_mask=None):
        split = []
        for linear, x in zip(self.projections, (query, key, value)):
            split.append(linear(x).unflatten(-1, (self.num_heads, -1)).transpose(1, 2))
        out = self.attention(*split, attention_mask)
        return self.Wo(out.transpose(1, 2).flatten(-2))


# %% module_dict_and_keywords
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads, mask_future=False):
        super().__init__()
        if d_model % num_heads:
            raise ValueError(f"{num_heads} heads do not divide {d_model} features")
        self.num_heads = num_heads
        self.transforms = nn.ModuleDict(
            {
                name: nn.Linear(d_model, d_model, bias=False)
                for name in ("output", "value", "key", "query")
            }
        )
        self.attention = Attention(mask_future=mask_future)

    def forward(self, query, key, value, attention_mask=None):
        inputs = {"query": query, "key": key, "value": value}
        heads = {
            name: self.transforms[name](x).unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
            for name, x in inputs.items()
        }
        out = self.attention(attention_mask=attention_mask, **heads)
        return self.transforms["output"](out.transpose(1, 2).flatten(-2))


# %% names_w_q_with_assert
import torch.nn as nn
from torch import Tensor


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model: int, num_heads: int, mask_future: bool = False):
        super().__init__()
        assert d_model % num_heads == 0, "d_model must be divisible by num_heads"
        self.d_model = d_model
        self.num_heads = num_heads
        self.d_k = d_model // num_heads
        self.W_o = nn.Linear(d_model, d_model, bias=False)
        self.W_v = nn.Linear(d_model, d_model, bias=False)
        self.W_k = nn.Linear(d_model, d_model, bias=False)
        self.W_q = nn.Linear(d_model, d_model, bias=False)
        self.attention = Attention(mask_future=mask_future)

    def split_heads(self, x: Tensor) -> Tensor:
        batch_size, seq_length, _ = x.size()
        return x.view(batch_size, seq_length, self.num_heads, self.d_k).transpose(1, 2)

    def combine_heads(self, x: Tensor) -> Tensor:
        batch_size, _, seq_length, _ = x.size()
        return x.transpose(1, 2).contiguous().view(batch_size, seq_length, self.d_model)

    def forward(self, Q, K, V, mask=None):
        Q = self.split_heads(self.W_q(Q))
        K = self.split_heads(self.W_k(K))
        V = self.split_heads(self.W_v(V))
        return self.W_o(self.combine_heads(self.attention(Q, K, V, mask)))


# %% one_attention_per_head
import torch
import torch.nn as nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads, mask_future=False):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError("d_model % num_heads")
        self.query_transform = nn.Linear(d_model, d_model, bias=False)
        self.key_transform = nn.Linear(d_model, d_model, bias=False)
        self.value_transform = nn.Linear(d_model, d_model, bias=False)
        self.output_transform = nn.Linear(d_model, d_model, bias=False)
        self.attention = nn.ModuleList([Attention(mask_future) for _ in range(num_heads)])

    def forward(self, query, key, value, attention_mask=None):
        n = len(self.attention)
        queries = self.query_transform(query).chunk(n, dim=-1)
        keys = self.key_transform(key).chunk(n, dim=-1)
        values = self.value_transform(value).tensor_split(n, dim=-1)
        heads = [
            head(q, k, v, attention_mask)
            for head, q, k, v in zip(self.attention, queries, keys, values, strict=True)
        ]
        return self.output_transform(torch.concat(heads, -1))


# %% own_linear_the_other_way_round
import math

import torch
from torch import nn


class Dense(nn.Module):
    """y = x W, with W of shape (inputs, outputs)."""

    def __init__(self, inputs, outputs):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(inputs, outputs) / math.sqrt(inputs))

    def forward(self, x):
        return torch.einsum("...i,io->...o", x, self.weight)


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads, mask_future=False):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError("num_heads does not divide d_model")
        self.num_heads = num_heads
        self.query, self.key, self.value, self.out = (Dense(d_model, d_model) for _ in range(4))
        self.attention = Attention(mask_future)

    def forward(self, query, key, value, attention_mask=None):
        split = [
            x.unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
            for x in (self.query(query), self.key(key), self.value(value))
        ]
        heads = self.attention(*split, attention_mask)
        return self.out(heads.transpose(1, 2).flatten(2))


# %% own_value_error
from torch import nn


class HeadsError(ValueError):
    """The heads do not divide the model."""


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads, mask_future=False):
        super().__init__()
        if d_model % num_heads != 0:
            raise HeadsError(f"{num_heads} does not divide {d_model}")
        self.num_heads = num_heads
        self.query_transform = nn.Linear(d_model, d_model, bias=False)
        self.key_transform = nn.Linear(d_model, d_model, bias=False)
        self.value_transform = nn.Linear(d_model, d_model, bias=False)
        self.output_transform = nn.Linear(d_model, d_model, bias=False)
        self.attention = Attention(mask_future)

    def forward(self, query, key, value, attention_mask=None):
        pairs = (
            (self.query_transform, query), (self.key_transform, key), (self.value_transform, value),
        )  # fmt: skip
        q, k, v = (f(x).unflatten(2, (self.num_heads, -1)).movedim(2, 1) for f, x in pairs)
        return self.output_transform(self.attention(q, k, v, attention_mask).movedim(1, 2).flatten(2))


# %% project_key_first
import torch.nn as nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads, mask_future=False):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError("d_model must be divisible by num_heads")
        self.num_heads = num_heads
        self.project_key = nn.Linear(d_model, d_model, bias=False)
        self.project_value = nn.Linear(d_model, d_model, bias=False)
        self.project_query = nn.Linear(d_model, d_model, bias=False)
        self.project_output = nn.Linear(d_model, d_model, bias=False)
        self.attention = Attention(mask_future)

    def forward(self, query, key, value, attention_mask=None):
        def heads(x):
            return x.unflatten(-1, (self.num_heads, -1)).transpose(-3, -2)

        q, k = heads(self.project_query(query)), heads(self.project_key(key))
        v = heads(self.project_value(value))
        out = self.attention(q, k, v, attention_mask)
        return self.project_output(out.transpose(-3, -2).flatten(-2))


# %% q_v_k_linear_order
import torch.nn as nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, heads, mask_future=False):
        super().__init__()
        if d_model % heads != 0:
            raise ValueError
        self.d_model = d_model
        self.d_k = d_model // heads
        self.h = heads
        self.q_linear = nn.Linear(d_model, d_model, bias=False)
        self.v_linear = nn.Linear(d_model, d_model, bias=False)
        self.k_linear = nn.Linear(d_model, d_model, bias=False)
        self.attention = Attention(mask_future)
        self.out = nn.Linear(d_model, d_model, bias=False)

    def forward(self, q, k, v, mask=None):
        bs = q.size(0)
        k = self.k_linear(k).view(bs, -1, self.h, self.d_k)
        q = self.q_linear(q).view(bs, -1, self.h, self.d_k)
        v = self.v_linear(v).view(bs, -1, self.h, self.d_k)
        k, q, v = k.transpose(1, 2), q.transpose(1, 2), v.transpose(1, 2)
        scores = self.attention(q, k, v, mask)
        concat = scores.transpose(1, 2).contiguous().view(bs, -1, self.d_model)
        return self.out(concat)


# %% square_parameters
import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    """Four matrices of its own, multiplied from the right."""

    def __init__(self, d_model, num_heads, mask_future=False):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError("num_heads does not divide d_model")
        self.num_heads = num_heads
        for name in ("W_O", "W_V", "W_K", "W_Q"):
            matrix = nn.Parameter(torch.empty(d_model, d_model))
            setattr(self, name, nn.init.xavier_uniform_(matrix))
        self.attention = Attention(mask_future)

    def forward(self, query, key, value, attention_mask=None):
        pairs = (query, self.W_Q), (key, self.W_K), (value, self.W_V)
        q, k, v = ((x @ W).unflatten(-1, (self.num_heads, -1)).transpose(1, 2) for x, W in pairs)
        heads = self.attention(q, k, v, attention_mask)
        return heads.transpose(1, 2).flatten(2) @ self.W_O


# %% to_q_to_out
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, dim, heads=8, mask_future=False, dropout=0.0):
        super().__init__()
        dim_head, rest = divmod(dim, heads)
        if rest:
            raise ValueError("heads do not divide dim")
        inner_dim = dim_head * heads
        self.heads = heads
        self.to_q = nn.Linear(dim, inner_dim, bias=False)
        self.to_k = nn.Linear(dim, inner_dim, bias=False)
        self.to_v = nn.Linear(dim, inner_dim, bias=False)
        self.to_out = nn.Sequential(nn.Linear(inner_dim, dim, bias=False), nn.Dropout(dropout))
        self.attention = Attention(mask_future)

    def forward(self, query, key, value, mask=None):
        qkv = self.to_q(query), self.to_k(key), self.to_v(value)
        q, k, v = (t.unflatten(2, (self.heads, -1)).permute(0, 2, 1, 3) for t in qkv)
        out = self.attention(q, k, v, mask)
        return self.to_out(out.permute(0, 2, 1, 3).flatten(2))


# %% values_keys_queries_fc_out
import torch.nn as nn


class MultiHeadAttention(nn.Module):
    def __init__(self, embed_size, heads, mask_future=False):
        super(MultiHeadAttention, self).__init__()
        self.embed_size = embed_size
        self.heads = heads
        self.head_dim = embed_size // heads
        if self.head_dim * heads != embed_size:
            raise ValueError("Embedding size needs to be divisible by heads")

        self.values = nn.Linear(embed_size, embed_size, bias=False)
        self.keys = nn.Linear(embed_size, embed_size, bias=False)
        self.queries = nn.Linear(embed_size, embed_size, bias=False)
        self.fc_out = nn.Linear(heads * self.head_dim, embed_size, bias=False)
        self.attention = Attention(mask_future)

    def forward(self, query, keys, values, mask=None):
        N = query.shape[0]
        value_len, key_len, query_len = values.shape[1], keys.shape[1], query.shape[1]
        values = self.values(values).reshape(N, value_len, self.heads, self.head_dim)
        keys = self.keys(keys).reshape(N, key_len, self.heads, self.head_dim)
        queries = self.queries(query).reshape(N, query_len, self.heads, self.head_dim)
        out = self.attention(
            queries.transpose(1, 2), keys.transpose(1, 2), values.transpose(1, 2), mask
        )
        return self.fc_out(out.transpose(1, 2).reshape(N, query_len, self.embed_size))


# %% vmap_over_heads
import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads, mask_future=False):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError("num_heads has to divide d_model")
        self.num_heads = num_heads
        self.query_transform = nn.Linear(d_model, d_model, bias=False)
        self.key_transform = nn.Linear(d_model, d_model, bias=False)
        self.value_transform = nn.Linear(d_model, d_model, bias=False)
        self.output_transform = nn.Linear(d_model, d_model, bias=False)
        self.attention = Attention(mask_future)

    def forward(self, query, key, value, attention_mask=None):
        q = self.query_transform(query).unflatten(-1, (self.num_heads, -1))
        k = self.key_transform(key).unflatten(-1, (self.num_heads, -1))
        v = self.value_transform(value).unflatten(-1, (self.num_heads, -1))
        one_head = torch.vmap(
            lambda q, k, v: self.attention(q, k, v, attention_mask), in_dims=2, out_dims=2
        )
        return self.output_transform(one_head(q, k, v).flatten(2))


# %% w_qs_w_ks_w_vs_fc
import torch.nn as nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_head, mask_future=False):
        super().__init__()
        if d_model % n_head != 0:
            raise ValueError(f"{d_model} % {n_head}")
        self.n_head = n_head
        d_k = d_v = d_model // n_head
        self.w_qs = nn.Linear(d_model, n_head * d_k, bias=False)
        self.w_ks = nn.Linear(d_model, n_head * d_k, bias=False)
        self.w_vs = nn.Linear(d_model, n_head * d_v, bias=False)
        self.fc = nn.Linear(n_head * d_v, d_model, bias=False)
        self.attention = Attention(mask_future)
        self.d_k, self.d_v = d_k, d_v

    def forward(self, q, k, v, mask=None):
        sz_b, len_q, len_k, len_v = q.size(0), q.size(1), k.size(1), v.size(1)
        q = self.w_qs(q).view(sz_b, len_q, self.n_head, self.d_k).transpose(1, 2)
        k = self.w_ks(k).view(sz_b, len_k, self.n_head, self.d_k).transpose(1, 2)
        v = self.w_vs(v).view(sz_b, len_v, self.n_head, self.d_v).transpose(1, 2)
        q = self.attention(q, k, v, mask)
        return self.fc(q.transpose(1, 2).contiguous().view(sz_b, len_q, -1))
