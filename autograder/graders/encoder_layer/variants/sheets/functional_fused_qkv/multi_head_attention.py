def split(x: Tensor, heads: int) -> Tensor:
    return x.unflatten(-1, (heads, -1)).transpose(-3, -2)


def merge(x: Tensor) -> Tensor:
    return x.transpose(-3, -2).flatten(-2)


class MultiHeadAttention(nn.Module):
    """One matrix W_qkv of (3 d_model, d_model) holds the three transforms of the input."""

    def __init__(self, d_model: int, num_heads: int, mask_future: bool = False):
        super().__init__()
        if d_model % num_heads:
            raise ValueError(f"{num_heads} heads cannot share {d_model} features")
        self.h = num_heads
        self.w_qkv = nn.Linear(d_model, 3 * d_model, bias=False)
        self.w_o = nn.Linear(d_model, d_model, bias=False)
        self.attention = Attention(mask_future)

    def forward(self, query, key, value, attention_mask=None):
        ws = self.w_qkv.weight.chunk(3, dim=0)
        q, k, v = (split(F.linear(x, w), self.h) for x, w in zip((query, key, value), ws))
        return F.linear(merge(self.attention(q, k, v, attention_mask)), self.w_o.weight)
