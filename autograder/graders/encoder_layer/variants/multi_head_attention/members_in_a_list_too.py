import torch.nn as nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads, mask_future=False):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError("not divisible")
        self.num_heads = num_heads
        self.Wq = nn.Linear(d_model, d_model, bias=False)
        self.Wk = nn.Linear(d_model, d_model, bias=False)
        self.Wv = nn.Linear(d_model, d_model, bias=False)
        self.Wo = nn.Linear(d_model, d_model, bias=False)
        self.projections = nn.ModuleList([self.Wq, self.Wk, self.Wv])
        self.attention = Attention(mask_future)

    def forward(self, query, key, value, attention_mask=None):
        split = []
        for linear, x in zip(self.projections, (query, key, value)):
            split.append(linear(x).unflatten(-1, (self.num_heads, -1)).transpose(1, 2))
        out = self.attention(*split, attention_mask)
        return self.Wo(out.transpose(1, 2).flatten(-2))
