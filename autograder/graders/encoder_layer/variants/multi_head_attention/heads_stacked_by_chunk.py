import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads, mask_future=False):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError
        self.num_heads = num_heads
        for name in ("query", "key", "value", "output"):
            setattr(self, f"{name}_transform", nn.Linear(d_model, d_model, bias=False))
        self.attention = Attention(mask_future)

    def forward(self, query, key, value, attention_mask=None):
        def split(x):
            return torch.stack(x.chunk(self.num_heads, dim=-1), dim=1)

        heads = self.attention(
            query=split(self.query_transform(query)),
            key=split(self.key_transform(key)),
            value=split(self.value_transform(value)),
            attention_mask=attention_mask,
        )
        return self.output_transform(torch.cat(heads.unbind(dim=1), dim=-1))
