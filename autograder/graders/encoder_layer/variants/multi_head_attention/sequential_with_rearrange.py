from torch import nn

from einops import rearrange
from einops.layers.torch import Rearrange


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model: int, num_heads: int, mask_future: bool = False):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError("(h d) does not fit: d_model is no multiple of num_heads")
        self.h = num_heads
        self.to_q = nn.Sequential(
            nn.Linear(d_model, d_model, bias=False), Rearrange("b n (h d) -> b h n d", h=num_heads)
        )
        self.to_k = nn.Sequential(
            nn.Linear(d_model, d_model, bias=False), Rearrange("b n (h d) -> b h n d", h=num_heads)
        )
        self.to_v = nn.Sequential(
            nn.Linear(d_model, d_model, bias=False), Rearrange("b n (h d) -> b h n d", h=num_heads)
        )
        self.attention = Attention(mask_future)
        self.to_out = nn.Linear(d_model, d_model, bias=False)

    def forward(self, query, key, value, attention_mask=None):
        out = self.attention(self.to_q(query), self.to_k(key), self.to_v(value), attention_mask)
        return self.to_out(rearrange(out, "b h n d -> b n (h d)"))
