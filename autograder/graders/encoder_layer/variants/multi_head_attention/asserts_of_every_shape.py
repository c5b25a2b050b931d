from torch import Tensor, nn

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
