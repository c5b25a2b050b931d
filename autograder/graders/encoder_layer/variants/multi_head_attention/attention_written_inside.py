import math
import torch
from torch import Tensor, nn

class MultiHeadAttention(nn.Module):
    def __init__(self, d_model: int, num_heads: int, mask_future: bool = False):
        super().__init__()
        if d_model % num_heads > 0:
            raise ValueError("d_model % num_heads must be 0")
        self.h = num_heads
        self.mask_future = mask_future
        self.q = nn.Linear(d_model, d_model, bias=False)
        self.k = nn.Linear(d_model, d_model, bias=False)
        self.v = nn.Linear(d_model, d_model, bias=False)
        self.o = nn.Linear(d_model, d_model, bias=False)
        self.attention = nn.Softmax(dim=-1)

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, attention_mask: Tensor | None = None
    ) -> Tensor:
        B, Q, D = query.shape
        K = key.shape[1]
        q = self.q(query).view(B, Q, self.h, D // self.h)
        k = self.k(key).view(B, K, self.h, D // self.h)
        v = self.v(value).view(B, K, self.h, D // self.h)
        s = torch.einsum("bqhd,bkhd->bhqk", q, k) / math.sqrt(D // self.h)
        ok = torch.ones(B, 1, Q, K, dtype=torch.bool, device=s.device)
        if attention_mask is not None:
            ok = ok & (attention_mask.view(B, 1, 1, K) > 0)
        if self.mask_future:
            ok = ok.tril()
        s = s.masked_fill(~ok, -1e9)
        w = self.attention(s)
        return self.o(torch.einsum("bhqk,bkhd->bqhd", w, v).reshape(B, Q, D))
