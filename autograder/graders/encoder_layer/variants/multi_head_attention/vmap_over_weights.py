import torch
from torch import Tensor, nn
from torch.nn import functional as F

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
