import torch
from torch import Tensor, nn

class MultiHeadAttention(nn.Module):
    def __init__(self, d_model: int, num_heads: int, mask_future: bool = False):
        super().__init__()
        if d_model - (d_model // num_heads) * num_heads != 0:
            raise ValueError("d_model % num_heads != 0")
        self.n = num_heads
        self.dk = d_model // num_heads
        self.wq = nn.Linear(d_model, d_model, bias=False)
        self.wk = nn.Linear(d_model, d_model, bias=False)
        self.wv = nn.Linear(d_model, d_model, bias=False)
        self.wo = nn.Linear(d_model, d_model, bias=False)
        self.attention = Attention(mask_future)

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, attention_mask: Tensor | None = None
    ) -> Tensor:
        q = self.wq(query)
        k = self.wk(key)
        v = self.wv(value)
        out = torch.zeros_like(q)
        for h in range(self.n):
            a = h * self.dk
            b = a + self.dk
            out[:, :, a:b] = self.attention(q[:, :, a:b], k[:, :, a:b], v[:, :, a:b], attention_mask)
        return self.wo(out)
