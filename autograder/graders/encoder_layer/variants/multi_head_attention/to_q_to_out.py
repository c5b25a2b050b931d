from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, dim, heads=8, mask_future=False, dropout=0.0):
        super().__init__()
        dim_head, rest = divmod(dim, heads)
        if rest:
            raise ValueError("heads do not divide dim")
        inner_dim = dim_head * heads
        self.heads = heads
        self.to_q = nn.Linear(dim, inner_dim, bias=False)
        self.to_k = nn.Linear(dim, inner_dim, bias=False)
        self.to_v = nn.Linear(dim, inner_dim, bias=False)
        self.to_out = nn.Sequential(nn.Linear(inner_dim, dim, bias=False), nn.Dropout(dropout))
        self.attention = Attention(mask_future)

    def forward(self, query, key, value, mask=None):
        qkv = self.to_q(query), self.to_k(key), self.to_v(value)
        q, k, v = (t.unflatten(2, (self.heads, -1)).permute(0, 2, 1, 3) for t in qkv)
        out = self.attention(q, k, v, mask)
        return self.to_out(out.permute(0, 2, 1, 3).flatten(2))
