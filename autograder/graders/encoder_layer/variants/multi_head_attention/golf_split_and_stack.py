import torch
from torch import nn

class MultiHeadAttention(nn.Module):
    def __init__(self, d_model: int, num_heads: int, mask_future: bool = False):
        super().__init__()
        self.d_k, rest = divmod(d_model, num_heads)
        if rest: raise ValueError(f"{d_model} / {num_heads} leaves {rest}")
        self.q, self.k, self.v, self.o = (nn.Linear(d_model, d_model, bias=False) for _ in "qkvo")
        self.attention = Attention(mask_future)

    def forward(self, query, key, value, attention_mask=None):
        cut = lambda x: torch.stack(x.split(self.d_k, -1), 1)
        heads = self.attention(cut(self.q(query)), cut(self.k(key)), cut(self.v(value)), attention_mask)
        return self.o(torch.cat(heads.unbind(1), -1))
