import torch
import torch.nn as nn


class MultiHeadAttention(nn.Module):
    def __init__(self, num_hiddens, num_heads, mask_future=False):
        super().__init__()
        if num_hiddens % num_heads != 0:
            raise ValueError("num_hiddens % num_heads != 0")
        self.num_heads = num_heads
        self.attention = Attention(mask_future)
        self.W_q = nn.Linear(num_hiddens, num_hiddens, bias=False)
        self.W_k = nn.Linear(num_hiddens, num_hiddens, bias=False)
        self.W_v = nn.Linear(num_hiddens, num_hiddens, bias=False)
        self.W_o = nn.Linear(num_hiddens, num_hiddens, bias=False)

    def forward(self, queries, keys, values, attention_mask=None):
        n = self.num_heads
        q, k, v = (
            torch.cat(linear(x).split(x.size(-1) // n, dim=2), dim=0)  # (heads * batch, seq, d_k)
            for linear, x in ((self.W_q, queries), (self.W_k, keys), (self.W_v, values))
        )
        mask = None if attention_mask is None else attention_mask.repeat(n, 1)
        out = self.attention(q, k, v, mask)
        return self.W_o(torch.cat(out.chunk(n, dim=0), dim=2))
