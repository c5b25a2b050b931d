from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads, mask_future=False):
        super().__init__()
        if d_model % num_heads:
            raise ValueError(f"{num_heads} heads do not divide {d_model} features")
        self.num_heads = num_heads
        self.transforms = nn.ModuleDict(
            {
                name: nn.Linear(d_model, d_model, bias=False)
                for name in ("output", "value", "key", "query")
            }
        )
        self.attention = Attention(mask_future=mask_future)

    def forward(self, query, key, value, attention_mask=None):
        inputs = {"query": query, "key": key, "value": value}
        heads = {
            name: self.transforms[name](x).unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
            for name, x in inputs.items()
        }
        out = self.attention(attention_mask=attention_mask, **heads)
        return self.transforms["output"](out.transpose(1, 2).flatten(-2))
