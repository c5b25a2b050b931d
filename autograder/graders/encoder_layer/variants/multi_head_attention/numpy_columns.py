import torch
from torch import Tensor, nn

class MultiHeadAttention(nn.Module):
    def __init__(self, d_model: int, num_heads: int, mask_future: bool = False):
        super().__init__()
        if d_model // num_heads * num_heads != d_model:
            raise ValueError("num_heads does not divide d_model")
        self.num_heads = num_heads
        self.W_q = nn.Linear(d_model, d_model, bias=False)
        self.W_k = nn.Linear(d_model, d_model, bias=False)
        self.W_v = nn.Linear(d_model, d_model, bias=False)
        self.W_o = nn.Linear(d_model, d_model, bias=False)
        self.attention = Attention(mask_future)

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, attention_mask: Tensor | None = None
    ) -> Tensor:
        Q = query @ self.W_q.weight.T
        K = key @ self.W_k.weight.T
        V = value @ self.W_v.weight.T
        d_k = Q.shape[-1] // self.num_heads
        result = torch.zeros_like(Q)
        for h in range(self.num_heads):
            cols = slice(h * d_k, (h + 1) * d_k)
            result[..., cols] = self.attention(
                Q[..., cols], K[..., cols], V[..., cols], attention_mask
            )
        return result @ self.W_o.weight.T
