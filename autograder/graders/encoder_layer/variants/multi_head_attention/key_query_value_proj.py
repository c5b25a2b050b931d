import torch.nn as nn


class MultiHeadAttention(nn.Module):
    def __init__(self, n_embd, n_head, mask_future=False):
        super().__init__()
        if n_embd % n_head:
            raise ValueError("n_embd % n_head != 0")
        # key, query, value projections for all heads
        self.key = nn.Linear(n_embd, n_embd, bias=False)
        self.query = nn.Linear(n_embd, n_embd, bias=False)
        self.value = nn.Linear(n_embd, n_embd, bias=False)
        # output projection
        self.proj = nn.Linear(n_embd, n_embd, bias=False)
        self.n_head = n_head
        self.attention = Attention(mask_future)

    def forward(self, q, k, v, attention_mask=None):
        B, T, C = q.size()
        S = k.size(1)
        k = self.key(k).view(B, S, self.n_head, C // self.n_head).transpose(1, 2)
        q = self.query(q).view(B, T, self.n_head, C // self.n_head).transpose(1, 2)
        v = self.value(v).view(B, S, self.n_head, C // self.n_head).transpose(1, 2)
        y = self.attention(q, k, v, attention_mask)
        y = y.transpose(1, 2).contiguous().view(B, T, C)
        return self.proj(y)
