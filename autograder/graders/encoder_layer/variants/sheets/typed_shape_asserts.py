# %% attention
from jaxtyping import Bool, Float, Int


class Attention(nn.Module):
    mask_future: bool

    def __init__(self, mask_future: bool = False) -> None:
        super().__init__()
        self.mask_future = mask_future

    def forward(
        self,
        query: Float[Tensor, "*lead query_len d_k"],
        key: Float[Tensor, "*lead key_len d_k"],
        value: Float[Tensor, "*lead key_len d_v"],
        attention_mask: Bool[Tensor, "batch key_len"] | Int[Tensor, "batch key_len"] | None = None,
    ) -> Float[Tensor, "*lead query_len d_v"]:
        *lead, query_len, d_k = query.shape
        key_len: int = key.shape[-2]
        d_v: int = value.shape[-1]
        assert key.shape == (*lead, key_len, d_k), (query.shape, key.shape)
        assert value.shape == (*lead, key_len, d_v), (key.shape, value.shape)

        allowed: Bool[Tensor, "#... query_len key_len"]
        allowed = torch.ones((query_len, key_len), dtype=torch.bool, device=query.device)
        if self.mask_future:
            allowed = torch.tril(allowed)
        if attention_mask is not None:
            assert attention_mask.shape == (lead[0], key_len), attention_mask.shape
            assert not attention_mask.is_floating_point(), attention_mask.dtype
            shape = (lead[0], *(1 for _ in lead[1:]), 1, key_len)
            allowed = allowed & (attention_mask != 0).reshape(shape)

        scores: Float[Tensor, "*lead query_len key_len"]
        scores = torch.matmul(query, key.transpose(-2, -1)) / math.sqrt(d_k)
        assert scores.shape == (*lead, query_len, key_len)
        bias = torch.zeros_like(allowed, dtype=scores.dtype).masked_fill(~allowed, -torch.inf)
        weights = torch.softmax(scores + bias, dim=-1)

        output: Float[Tensor, "*lead query_len d_v"] = torch.matmul(weights, value)
        assert output.shape == (*lead, query_len, d_v)
        return output


# %% encoder
from jaxtyping import Bool, Float, Int


def position_table(max_len: int, d_model: int) -> Float[Tensor, "max_len d_model"]:
    assert d_model % 2 == 0, d_model
    position: Float[Tensor, "max_len 1"] = torch.arange(max_len, dtype=torch.float32)[:, None]
    even: Float[Tensor, "half"] = torch.arange(0, d_model, 2, dtype=torch.float32)
    angle: Float[Tensor, "max_len half"] = position / torch.pow(10000.0, even / d_model)
    assert angle.shape == (max_len, d_model // 2)
    table = torch.zeros(max_len, d_model)
    table[:, 0::2] = angle.sin()
    table[:, 1::2] = angle.cos()
    return table


class Encoder(nn.Module):
    embedding: nn.Embedding
    layers: nn.ModuleList
    positions: Float[Tensor, "max_len d_model"]

    def __init__(
        self,
        vocab_size: int,
        d_model: int,
        num_heads: int,
        d_ff: int,
        num_layers: int,
        dropout: float = 0.1,
        max_len: int = 512,
    ) -> None:
        super().__init__()
        self.d_model: int = d_model
        self.max_len: int = max_len
        self.embedding = nn.Embedding(vocab_size, d_model)
        self.register_buffer("positions", position_table(max_len, d_model), persistent=False)
        self.dropout: nn.Dropout = nn.Dropout(p=dropout)
        self.layers = nn.ModuleList(
            [EncoderLayer(d_model, num_heads, d_ff, dropout) for _ in range(num_layers)]
        )

    def forward(
        self,
        tokens: Int[Tensor, "batch seq"],
        attention_mask: Bool[Tensor, "batch seq"] | Int[Tensor, "batch seq"] | None = None,
    ) -> Float[Tensor, "batch seq d_model"]:
        batch, seq = tokens.shape
        assert seq <= self.max_len, f"{seq} > {self.max_len}"
        assert attention_mask is None or attention_mask.shape == tokens.shape

        embedded: Float[Tensor, "batch seq d_model"] = self.embedding(tokens) * math.sqrt(self.d_model)
        assert embedded.shape == (batch, seq, self.d_model)
        hidden: Float[Tensor, "batch seq d_model"] = self.dropout(embedded + self.positions[:seq])
        for layer in self.layers:
            hidden = layer(hidden, attention_mask)
            assert hidden.shape == embedded.shape
        return hidden


# %% encoder_layer
from jaxtyping import Bool, Float, Int


class EncoderLayer(nn.Module):
    self_attention: MultiHeadAttention
    feature_transformation: PositionWiseFeedForward
    layer_norm_1: nn.LayerNorm
    layer_norm_2: nn.LayerNorm

    def __init__(self, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.d_model: int = d_model
        self.self_attention = MultiHeadAttention(d_model, num_heads, mask_future=False)
        self.feature_transformation = PositionWiseFeedForward(d_model, d_ff)
        self.layer_norm_1 = nn.LayerNorm(normalized_shape=(d_model,))
        self.layer_norm_2 = nn.LayerNorm(normalized_shape=(d_model,))
        self.dropout: nn.Dropout = nn.Dropout(p=dropout)

    def forward(
        self,
        x: Float[Tensor, "batch seq d_model"],
        attention_mask: Bool[Tensor, "batch seq"] | Int[Tensor, "batch seq"] | None = None,
    ) -> Float[Tensor, "batch seq d_model"]:
        batch, seq, d_model = x.shape
        assert d_model == self.d_model
        assert attention_mask is None or attention_mask.shape == (batch, seq)

        attended: Float[Tensor, "batch seq d_model"] = self.self_attention(x, x, x, attention_mask)
        assert attended.shape == x.shape
        z: Float[Tensor, "batch seq d_model"] = self.layer_norm_1(x + self.dropout(attended))

        transformed: Float[Tensor, "batch seq d_model"] = self.feature_transformation(z)
        assert transformed.shape == z.shape
        output: Float[Tensor, "batch seq d_model"] = self.layer_norm_2(z + self.dropout(transformed))
        assert output.shape == (batch, seq, d_model)
        return output


# %% feed_forward
from typing import Final

from jaxtyping import Float


class PositionWiseFeedForward(nn.Sequential):
    linear1: nn.Linear
    relu: nn.ReLU
    linear2: nn.Linear

    def __init__(self, d_model: int, d_ff: int) -> None:
        assert d_model > 0 and d_ff > 0, (d_model, d_ff)
        super().__init__()
        self.d_model: Final[int] = d_model
        self.linear1 = nn.Linear(d_model, d_ff, bias=True)
        self.relu = nn.ReLU(inplace=False)
        self.linear2 = nn.Linear(d_ff, d_model, bias=True)

    def forward(self, x: Float[Tensor, "*batch d_model"]) -> Float[Tensor, "*batch d_model"]:
        assert x.shape[-1] == self.d_model, (tuple(x.shape), self.d_model)
        y = super().forward(x)
        assert y.shape == x.shape
        return y


# %% multi_head_attention
from jaxtyping import Bool, Float, Int


class MultiHeadAttention(nn.Module):
    num_heads: int
    d_k: int

    def __init__(self, d_model: int, num_heads: int, mask_future: bool = False) -> None:
        super().__init__()
        if num_heads < 1 or d_model % num_heads != 0:
            raise ValueError(f"d_model {d_model} is not divisible by num_heads {num_heads}")
        self.num_heads = num_heads
        self.d_k = d_model // num_heads
        self.query_transform: nn.Linear = nn.Linear(d_model, d_model, bias=False)
        self.key_transform: nn.Linear = nn.Linear(d_model, d_model, bias=False)
        self.value_transform: nn.Linear = nn.Linear(d_model, d_model, bias=False)
        self.output_transform: nn.Linear = nn.Linear(d_model, d_model, bias=False)
        self.attention: Attention = Attention(mask_future)

    def _split(self, x: Float[Tensor, "batch seq d_model"]) -> Float[Tensor, "batch heads seq d_k"]:
        batch, seq, d_model = x.shape
        y = x.view(batch, seq, self.num_heads, self.d_k).permute(0, 2, 1, 3)
        assert y.shape == (batch, self.num_heads, seq, self.d_k)
        return y

    def _merge(self, x: Float[Tensor, "batch heads seq d_k"]) -> Float[Tensor, "batch seq d_model"]:
        batch, heads, seq, d_k = x.shape
        assert (heads, d_k) == (self.num_heads, self.d_k)
        return x.permute(0, 2, 1, 3).reshape(batch, seq, heads * d_k)

    def forward(
        self,
        query: Float[Tensor, "batch query_len d_model"],
        key: Float[Tensor, "batch key_len d_model"],
        value: Float[Tensor, "batch key_len d_model"],
        attention_mask: Bool[Tensor, "batch key_len"] | Int[Tensor, "batch key_len"] | None = None,
    ) -> Float[Tensor, "batch query_len d_model"]:
        assert query.ndim == key.ndim == value.ndim == 3
        assert key.shape == value.shape, (key.shape, value.shape)
        assert query.shape[0] == key.shape[0] and query.shape[2] == key.shape[2]
        q = self._split(self.query_transform(query))
        k = self._split(self.key_transform(key))
        v = self._split(self.value_transform(value))
        heads = self.attention(q, k, v, attention_mask)
        assert heads.shape == q.shape
        output = self.output_transform(self._merge(heads))
        assert output.shape == query.shape
        return output
