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
