# %% right_a003
class Square(nn.Linear):
    def __init__(self, size):
        super().__init__(size, size, bias=False)


class MultiHeadAttention(nn.Module):
    """Attention in num_heads heads of d_k = d_model / num_heads features each."""

    def __init__(self, d_model: int, num_heads: int, mask_future: bool = False):
        super().__init__()
        if d_model % num_heads:
            raise ValueError(f"{d_model} is no multiple of {num_heads}")
        self.pieces = (num_heads, d_model // num_heads)
        self.attention = Attention(mask_future)
        for name in ("output", "value", "key", "query"):
            setattr(self, f"{name}_transform", Square(d_model))

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, attention_mask: Tensor | None = None
    ) -> Tensor:
        heads = {}
        for name, given in (("value", value), ("query", query), ("key", key)):
            transformed = getattr(self, f"{name}_transform")(given)
            heads[name] = transformed.unflatten(-1, self.pieces).transpose(-3, -2)
        seen = self.attention(heads["query"], heads["key"], heads["value"], attention_mask)
        return self.output_transform(seen.transpose(-3, -2).flatten(-2))


# %% right_a004
class MultiHeadAttention(nn.Module):
    """Attention in num_heads heads of d_k = d_model / num_heads features each."""

    def __init__(self, d_model: int, num_heads: int, mask_future: bool = False):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError("d_model must be a multiple of num_heads")
        self.h = num_heads
        made = [nn.Linear(d_model, d_model, bias=False) for _ in range(4)]
        self.output_transform, self.key_transform, self.query_transform, self.value_transform = made
        self.attention = Attention(mask_future=mask_future)

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, attention_mask: Tensor | None = None
    ) -> Tensor:
        def heads(x):
            return torch.stack(x.chunk(self.h, dim=-1), dim=1)  # (batch, num_heads, seq, d_k)

        v, k, q = (heads(f(x)) for f, x in (
            (self.value_transform, value), (self.key_transform, key), (self.query_transform, query)))
        attended = self.attention(q, k, v, attention_mask)
        return self.output_transform(torch.cat(attended.unbind(1), dim=-1))


# %% wrong_b017
#: Heads are split by a reshape without a transpose, so a head gets pieces of other tokens; members
#: in another order.
#: named: merge_without_transpose split_without_transpose
class MultiHeadAttention(nn.Module):
    """Attention in num_heads heads of d_k = d_model / num_heads features each."""

    def __init__(self, d_model: int, num_heads: int, mask_future: bool = False):
        super().__init__()
        if d_model % num_heads:
            raise ValueError("d_model must be a multiple of num_heads")
        self.attention = Attention(mask_future)
        self.output_transform = nn.Linear(d_model, d_model, bias=False)
        self.value_transform = nn.Linear(d_model, d_model, bias=False)
        self.key_transform = nn.Linear(d_model, d_model, bias=False)
        self.query_transform = nn.Linear(d_model, d_model, bias=False)
        self.num_heads, self.d_k = num_heads, d_model // num_heads

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, attention_mask: Tensor | None = None
    ) -> Tensor:
        batch = query.shape[0]
        q = self.query_transform(query).reshape(batch, self.num_heads, -1, self.d_k)
        k = self.key_transform(key).reshape(batch, self.num_heads, -1, self.d_k)
        v = self.value_transform(value).reshape(batch, self.num_heads, -1, self.d_k)
        attended = self.attention(q, k, v, attention_mask)
        return self.output_transform(attended.reshape(batch, -1, self.num_heads * self.d_k))


# %% wrong_f052
#: Keeps the first mask of each shape and takes it in all later calls.
#: named: -
class MultiHeadAttention(nn.Module):
    """Attention in num_heads heads of d_k = d_model / num_heads features each."""

    def __init__(self, d_model: int, num_heads: int, mask_future: bool = False):
        super().__init__()
        if d_model % num_heads:
            raise ValueError("d_model must be a multiple of num_heads")
        self.num_heads = num_heads
        self.query_transform = nn.Linear(d_model, d_model, bias=False)
        self.key_transform = nn.Linear(d_model, d_model, bias=False)
        self.value_transform = nn.Linear(d_model, d_model, bias=False)
        self.output_transform = nn.Linear(d_model, d_model, bias=False)
        self.attention = Attention(mask_future)
        self.known = {}

    def split(self, x):
        return x.unflatten(-1, (self.num_heads, -1)).transpose(1, 2)

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, attention_mask: Tensor | None = None
    ) -> Tensor:
        if attention_mask is not None:
            attention_mask = self.known.setdefault(tuple(attention_mask.shape), attention_mask.bool())
        q = self.split(self.query_transform(query))
        k = self.split(self.key_transform(key))
        v = self.split(self.value_transform(value))
        attended = self.attention(q, k, v, attention_mask)
        return self.output_transform(attended.transpose(1, 2).flatten(-2))
