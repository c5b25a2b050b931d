# %% wrong_a014
#: view goes straight to (batch, num_heads, seq, d_k) without a transpose, so a head gets pieces of
#: several tokens instead of d_k features of each.
#: named: merge_without_transpose split_without_transpose
class MultiHeadAttention(nn.Module):
    """Attention in num_heads heads of d_k = d_model / num_heads features each."""

    def __init__(self, d_model: int, num_heads: int, mask_future: bool = False):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError("d_model must be divisible by num_heads")
        self.d_model = d_model
        self.num_heads = num_heads
        self.d_k = d_model // num_heads
        self.query_transform = nn.Linear(d_model, d_model, bias=False)
        self.key_transform = nn.Linear(d_model, d_model, bias=False)
        self.value_transform = nn.Linear(d_model, d_model, bias=False)
        self.output_transform = nn.Linear(d_model, d_model, bias=False)
        self.attention = Attention(mask_future)

    def forward(self, query, key, value, attention_mask=None):
        batch = query.shape[0]
        q = self.query_transform(query).view(batch, self.num_heads, query.shape[1], self.d_k)
        k = self.key_transform(key).view(batch, self.num_heads, key.shape[1], self.d_k)
        v = self.value_transform(value).view(batch, self.num_heads, value.shape[1], self.d_k)
        out = self.attention(q, k, v, attention_mask)
        out = out.reshape(batch, query.shape[1], self.d_model)
        return self.output_transform(out)


# %% wrong_a015
#: The length of the query is used to split key and value as well, so it stops when key and query
#: differ in length.
#: named: key_length_is_forgotten
class MultiHeadAttention(nn.Module):

    def __init__(self, d_model: int, num_heads: int, mask_future: bool = False):
        super().__init__()
        if d_model % num_heads:
            raise ValueError(f"{d_model=} is no multiple of {num_heads=}")
        self.n_head, self.n_embd = num_heads, d_model
        self.query_transform, self.key_transform, self.value_transform, self.output_transform = (
            nn.Linear(d_model, d_model, bias=False) for _ in range(4))
        self.attention = Attention(mask_future=mask_future)

    def forward(self, query, key, value, attention_mask=None):
        B, T, C = query.shape
        D = C // self.n_head          # size of one head
        q = self.query_transform(query).view(B, T, self.n_head, D).transpose(1, 2)
        k = self.key_transform(key).view(B, T, self.n_head, D).transpose(1, 2)
        v = self.value_transform(value).view(B, T, self.n_head, D).transpose(1, 2)
        y = self.attention(q, k, v, attention_mask)
        y = y.transpose(1, 2).reshape(B, T, C)      # B H T D -> B T C
        return self.output_transform(y)


# %% wrong_a016
#: An assert guards the sizes, so an AssertionError is raised and not the ValueError that is asked
#: for.
#: named: -
class MultiHeadAttention(nn.Module):
    """Attention in num_heads heads of d_k = d_model / num_heads features each."""

    def __init__(self, d_model: int, num_heads: int, mask_future: bool = False) -> None:
        super().__init__()
        assert d_model % num_heads == 0, "d_model must be divisible by num_heads"
        self.heads: int = num_heads
        self.query_transform: nn.Linear = nn.Linear(d_model, d_model, bias=False)
        self.key_transform: nn.Linear = nn.Linear(d_model, d_model, bias=False)
        self.value_transform: nn.Linear = nn.Linear(d_model, d_model, bias=False)
        self.output_transform: nn.Linear = nn.Linear(d_model, d_model, bias=False)
        self.attention: nn.Module = Attention(mask_future)

    def _split(self, t: Tensor) -> Tensor:
        return t.unflatten(-1, (self.heads, -1)).transpose(-3, -2)

    def forward(self, query: Tensor, key: Tensor, value: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        q = self._split(self.query_transform(query))
        k = self._split(self.key_transform(key))
        v = self._split(self.value_transform(value))
        merged = self.attention(q, k, v, attention_mask).transpose(-3, -2).flatten(-2)
        return self.output_transform(merged)


# %% wrong_a017
#: The features are split as (d_k, heads): head 0 gets every num_heads-th feature and not the first
#: d_k, so the W of the heads do not stand side by side.
#: named: heads_take_turns
from einops import rearrange

class MultiHeadAttention(nn.Module):
    """Attention in num_heads heads of d_k = d_model / num_heads features each."""

    def __init__(self, d_model: int, num_heads: int, mask_future: bool = False):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError('d_model % num_heads must be 0')
        self.h = num_heads
        self.attention = Attention(mask_future)
        for name in ('query', 'key', 'value', 'output'):
            setattr(self, f'{name}_transform', nn.Linear(d_model, d_model, bias=False))

    def forward(self, query, key, value, attention_mask=None):
        q = rearrange(self.query_transform(query), 'b n (d h) -> b h n d', h=self.h)
        k = rearrange(self.key_transform(key), 'b n (d h) -> b h n d', h=self.h)
        v = rearrange(self.value_transform(value), 'b n (d h) -> b h n d', h=self.h)
        z = self.attention(q, k, v, attention_mask)
        return self.output_transform(rearrange(z, 'b h n d -> b n (d h)'))


# %% wrong_a018
#: Queries are scaled by the root of d_k before they are handed to the attention, which divides by
#: it once more.
#: named: scaled_twice
class MultiHeadAttention(nn.Module):
    """Atenção com várias cabeças."""

    def __init__(self, d_model: int, num_heads: int, mask_future: bool = False):
        super().__init__()
        if d_model % num_heads > 0:
            raise ValueError("d_model precisa ser múltiplo de num_heads")
        self.num_cabecas = num_heads
        self.profundidade = d_model // num_heads
        self.query_transform = nn.Linear(d_model, d_model, bias=False)
        self.key_transform = nn.Linear(d_model, d_model, bias=False)
        self.value_transform = nn.Linear(d_model, d_model, bias=False)
        self.attention = Attention(mask_future)
        self.output_transform = nn.Linear(d_model, d_model, bias=False)

    def dividir_cabecas(self, x):
        x = torch.reshape(x, (x.shape[0], -1, self.num_cabecas, self.profundidade))
        return torch.permute(x, (0, 2, 1, 3))

    def forward(self, query, key, value, attention_mask=None):
        q = self.query_transform(query) * self.profundidade ** -0.5
        k, v = self.key_transform(key), self.value_transform(value)
        q, k, v = map(self.dividir_cabecas, (q, k, v))
        atendido = self.attention(q, k, v, attention_mask)
        atendido = torch.permute(atendido, (0, 2, 1, 3))
        juntado = torch.reshape(atendido, (query.shape[0], query.shape[1], -1))
        return self.output_transform(juntado)


# %% wrong_a019
#: Heads are folded into the batch, but the mask is repeated in the other order (repeat instead of
#: repeat_interleave): sequences get each other's mask.
#: named: mask_repeated_in_another_order
class MultiHeadAttention(nn.Module):
    """Attention in num_heads heads of d_k = d_model / num_heads features each."""

    def __init__(self, d_model: int, num_heads: int, mask_future: bool = False):
        super().__init__()
        d_k, rest = divmod(d_model, num_heads)
        if rest:
            raise ValueError(f"{d_model} / {num_heads} is not a whole number")
        self.num_heads, self.d_k = num_heads, d_k
        self.query_transform = nn.Linear(d_model, d_model, bias=False)
        self.key_transform = nn.Linear(d_model, d_model, bias=False)
        self.value_transform = nn.Linear(d_model, d_model, bias=False)
        self.output_transform = nn.Linear(d_model, d_model, bias=False)
        self.attention = Attention(mask_future)

    def fold(self, x: Tensor) -> Tensor:
        b, n, _ = x.shape
        # (b, n, h, d) -> (b, h, n, d) -> (b * h, n, d)
        return x.reshape(b, n, self.num_heads, self.d_k).transpose(1, 2).reshape(b * self.num_heads, n, self.d_k)

    def unfold(self, x: Tensor, b: int) -> Tensor:
        n = x.shape[1]
        return x.reshape(b, self.num_heads, n, self.d_k).transpose(1, 2).reshape(b, n, -1)

    def forward(self, query, key, value, attention_mask=None):
        if attention_mask is not None:
            attention_mask = attention_mask.repeat(self.num_heads, 1)   # one row for each head
        heads = self.attention(
            self.fold(self.query_transform(query)),
            self.fold(self.key_transform(key)),
            self.fold(self.value_transform(value)),
            attention_mask,
        )
        return self.output_transform(self.unfold(heads, query.shape[0]))


# %% wrong_a020
#: The values go through key_transform: value_transform exists but is never used and never gets a
#: gradient.
#: named: projection_taken_twice
class MultiHeadAttention(nn.Module):
    """Attention in num_heads heads of d_k = d_model / num_heads features each."""

    def __init__(self, d_model: int, num_heads: int, mask_future: bool = False):
        super().__init__()
        if d_model / num_heads != d_model // num_heads:
            raise ValueError("d_model / num_heads has to be an integer")
        self.num_heads = num_heads
        self.query_transform = nn.Linear(d_model, d_model, bias=False)
        self.key_transform = nn.Linear(d_model, d_model, bias=False)
        self.value_transform = nn.Linear(d_model, d_model, bias=False)
        self.output_transform = nn.Linear(d_model, d_model, bias=False)
        self.attention = Attention(mask_future)

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, attention_mask: Tensor | None = None
    ) -> Tensor:
        query = self.query_transform(query)                              # (batch, query_len, d_model)
        query = query.unflatten(-1, (self.num_heads, -1))                # (batch, query_len, num_heads, d_k)
        query = query.transpose(1, 2)                                    # (batch, num_heads, query_len, d_k)

        key = self.key_transform(key)
        key = key.unflatten(-1, (self.num_heads, -1))
        key = key.transpose(1, 2)

        value = self.key_transform(value)
        value = value.unflatten(-1, (self.num_heads, -1))
        value = value.transpose(1, 2)

        result = self.attention(query, key, value, attention_mask)
        result = result.transpose(1, 2).flatten(2)                       # (batch, query_len, d_model)
        return self.output_transform(result)


# %% right_a021
from einops import rearrange

class MultiHeadAttention(nn.Module):
    """Attention in num_heads heads of d_k = d_model / num_heads features each."""

    def __init__(self, d_model: int, num_heads: int, mask_future: bool = False):
        super().__init__()
        if d_model % num_heads:
            raise ValueError('d_model must be a multiple of num_heads')
        self.attention = Attention(mask_future)
        for name in ('output', 'value', 'key', 'query'):
            self.add_module(f'{name}_transform', nn.Linear(d_model, d_model, bias=False))
        self.num_heads = num_heads

    def forward(self, query, key, value, attention_mask=None):
        q, k, v = (
            rearrange(layer(x), 'b n (h d) -> b h n d', h=self.num_heads)
            for layer, x in ((self.query_transform, query), (self.key_transform, key), (self.value_transform, value))
        )
        return self.output_transform(rearrange(self.attention(q, k, v, attention_mask), 'b h n d -> b n (h d)'))


# %% right_a022
class MultiHeadAttention(nn.Module):
    """Each head by itself: slower, but I understand it."""

    def __init__(self, d_model: int, num_heads: int, mask_future: bool = False):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError("the heads do not fit into d_model")
        self.num_heads = num_heads
        self.query_transform = nn.Linear(d_model, d_model, bias=False)
        self.key_transform = nn.Linear(d_model, d_model, bias=False)
        self.value_transform = nn.Linear(d_model, d_model, bias=False)
        self.output_transform = nn.Linear(d_model, d_model, bias=False)
        self.attention = Attention(mask_future)

    def forward(self, query, key, value, attention_mask=None):
        queries = self.query_transform(query).chunk(self.num_heads, dim=-1)
        keys = self.key_transform(key).chunk(self.num_heads, dim=-1)
        values = self.value_transform(value).chunk(self.num_heads, dim=-1)
        heads = []
        for i in range(self.num_heads):
            head = self.attention(queries[i], keys[i], values[i], attention_mask)   # (batch, query_len, d_k)
            heads.append(head)
        concat = torch.cat(heads, dim=-1)
        return self.output_transform(concat)


# %% right_a023
class MultiHeadAttention(nn.Module):
    """Toutes les têtes dans la dimension du lot."""

    def __init__(self, d_model: int, num_heads: int, mask_future: bool = False):
        super(MultiHeadAttention, self).__init__()
        if d_model % num_heads:
            raise ValueError("d_model n'est pas un multiple de num_heads")
        self.tetes = num_heads
        fabrique = lambda: nn.Linear(in_features=d_model, out_features=d_model, bias=False)
        self.query_transform, self.key_transform = fabrique(), fabrique()
        self.value_transform, self.output_transform = fabrique(), fabrique()
        self.attention = Attention(mask_future)

    def forward(self, query, key, value, attention_mask=None):
        lot, longueur, largeur = query.shape

        def plier(x):
            morceaux = torch.stack(x.split(largeur // self.tetes, dim=-1), dim=1)  # (lot, têtes, n, d_k)
            return morceaux.flatten(0, 1)                                          # (lot * têtes, n, d_k)

        masque = None if attention_mask is None else attention_mask.repeat_interleave(self.tetes, dim=0)
        vu = self.attention(plier(self.query_transform(query)), plier(self.key_transform(key)),
                            plier(self.value_transform(value)), masque)
        vu = vu.unflatten(0, (lot, self.tetes))
        return self.output_transform(torch.cat(vu.unbind(dim=1), dim=-1))


# %% wrong_b085
#: On the way out heads and sequence are not exchanged back before the merge: features of different
#: tokens are mixed up.
#: named: merge_without_transpose
class MultiHeadAttention(nn.Module):
    """Attention in num_heads heads of d_k = d_model / num_heads features each."""

    def __init__(self, d_model: int, num_heads: int, mask_future: bool = False):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError("d_model must be a multiple of num_heads")
        self.num_heads = num_heads
        self.d_k = d_model // num_heads
        self.query_transform = nn.Linear(d_model, d_model, bias=False)
        self.key_transform = nn.Linear(d_model, d_model, bias=False)
        self.value_transform = nn.Linear(d_model, d_model, bias=False)
        self.output_transform = nn.Linear(d_model, d_model, bias=False)
        self.attention = Attention(mask_future)

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, attention_mask: Tensor | None = None
    ) -> Tensor:
        batch, query_len, d_model = query.shape
        key_len = key.shape[1]
        q = self.query_transform(query).view(batch, query_len, self.num_heads, self.d_k).transpose(1, 2)
        k = self.key_transform(key).view(batch, key_len, self.num_heads, self.d_k).transpose(1, 2)
        v = self.value_transform(value).view(batch, key_len, self.num_heads, self.d_k).transpose(1, 2)
        attended = self.attention(q, k, v, attention_mask)
        return self.output_transform(attended.reshape(batch, query_len, d_model))


# %% wrong_b086
#: Features are split by a view straight to (batch, num_heads, seq, d_k): a head gets pieces of
#: neighbouring tokens, not its features of every token.
#: named: merge_without_transpose split_without_transpose
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model: int, num_heads: int, mask_future: bool = False):
        super().__init__()
        if d_model % num_heads:
            raise ValueError(f"{d_model} is geen veelvoud van {num_heads}")
        self.h = num_heads
        self.query_transform = nn.Linear(d_model, d_model, bias=False)
        self.key_transform = nn.Linear(d_model, d_model, bias=False)
        self.value_transform = nn.Linear(d_model, d_model, bias=False)
        self.output_transform = nn.Linear(d_model, d_model, bias=False)
        self.attention = Attention(mask_future)

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, attention_mask: Tensor | None = None
    ) -> Tensor:
        b, q_len, d = query.shape
        d_k = d // self.h
        # hoofden maken
        q = self.query_transform(query).view(b, self.h, q_len, d_k)
        k = self.key_transform(key).view(b, self.h, key.shape[1], d_k)
        v = self.value_transform(value).view(b, self.h, key.shape[1], d_k)
        out = self.attention(q, k, v, attention_mask)
        # en weer samenvoegen
        out = out.reshape(b, q_len, d)
        return self.output_transform(out)


# %% wrong_b087
#: The split has the axes (d_k heads) in the wrong order: head i gets every num_heads-th feature,
#: not its d_k features side by side.
#: named: heads_take_turns
from einops import rearrange


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model: int, num_heads: int, mask_future: bool = False):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError("num_heads does not divide d_model")
        self.heads = num_heads
        for name in ("query", "key", "value", "output"):
            setattr(self, f"{name}_transform", nn.Linear(d_model, d_model, bias=False))
        self.attention = Attention(mask_future)

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, attention_mask: Tensor | None = None
    ) -> Tensor:
        q, k, v = self.query_transform(query), self.key_transform(key), self.value_transform(value)
        q, k, v = (rearrange(t, "b n (d h) -> b h n d", h=self.heads) for t in (q, k, v))
        out = self.attention(q, k, v, attention_mask)
        return self.output_transform(rearrange(out, "b h n d -> b n (d h)"))


# %% wrong_b088
#: mask_future is taken but not handed on to the attention inside.
#: named: future_not_handed_on
class MultiHeadAttention(nn.Module):
    """Attention in num_heads heads of d_k = d_model / num_heads features each."""

    def __init__(self, d_model: int, num_heads: int, mask_future: bool = False):
        super().__init__()
        self.d_k, rest = divmod(d_model, num_heads)
        if rest:
            raise ValueError(f"d_model={d_model} cannot be split into {num_heads} heads")
        self.num_heads = num_heads
        self.mask_future = mask_future
        self.query_transform = nn.Linear(d_model, d_model, bias=False)
        self.key_transform = nn.Linear(d_model, d_model, bias=False)
        self.value_transform = nn.Linear(d_model, d_model, bias=False)
        self.output_transform = nn.Linear(d_model, d_model, bias=False)
        self.attention = Attention()

    def _split(self, t: Tensor) -> Tensor:
        return t.unflatten(-1, (self.num_heads, self.d_k)).transpose(1, 2)

    def _merge(self, t: Tensor) -> Tensor:
        return t.transpose(1, 2).flatten(-2)

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, attention_mask: Tensor | None = None
    ) -> Tensor:
        heads = self.attention(
            self._split(self.query_transform(query)),
            self._split(self.key_transform(key)),
            self._split(self.value_transform(value)),
            attention_mask,
        )
        return self.output_transform(self._merge(heads))


# %% wrong_b089
#: A d_model that is no multiple of num_heads is met by an assert, which raises an AssertionError
#: and not the ValueError that is asked for.
#: named: -
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model: int, num_heads: int, mask_future: bool = False):
        super().__init__()
        assert d_model % num_heads == 0, "d_model has to be divisible by num_heads"
        self.num_heads = num_heads
        self.query_transform, self.key_transform, self.value_transform, self.output_transform = (
            nn.Linear(d_model, d_model, bias=False) for _ in range(4)
        )
        self.attention = Attention(mask_future=mask_future)

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, attention_mask: Tensor | None = None
    ) -> Tensor:
        batch, query_len, d_model = query.shape
        q = self.query_transform(query).reshape(batch, query_len, self.num_heads, -1).permute(0, 2, 1, 3)
        k = self.key_transform(key).reshape(batch, key.shape[1], self.num_heads, -1).permute(0, 2, 1, 3)
        v = self.value_transform(value).reshape(batch, value.shape[1], self.num_heads, -1).permute(0, 2, 1, 3)
        o = self.attention(q, k, v, attention_mask)
        o = o.permute(0, 2, 1, 3).contiguous().view(batch, query_len, d_model)
        return self.output_transform(o)


# %% right_b090
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model: int, num_heads: int, mask_future: bool = False):
        super().__init__()
        if d_model // num_heads * num_heads != d_model:
            raise ValueError(f"cannot cut {d_model} features into {num_heads} equal pieces")
        self.piece = d_model // num_heads
        self.output_transform = nn.Linear(d_model, d_model, bias=False)
        self.value_transform = nn.Linear(d_model, d_model, bias=False)
        self.key_transform = nn.Linear(d_model, d_model, bias=False)
        self.query_transform = nn.Linear(d_model, d_model, bias=False)
        self.attention = Attention(mask_future)

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, attention_mask: Tensor | None = None
    ) -> Tensor:
        Q = self.query_transform(query).split(self.piece, dim=-1)
        K = self.key_transform(key).split(self.piece, dim=-1)
        V = self.value_transform(value).split(self.piece, dim=-1)
        heads = []
        for q, k, v in zip(Q, K, V):
            heads.append(self.attention(q, k, v, attention_mask))       # (batch, query_len, d_k)
        return self.output_transform(torch.cat(heads, dim=-1))
