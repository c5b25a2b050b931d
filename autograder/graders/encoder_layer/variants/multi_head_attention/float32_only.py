import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    """Everything is made float32 on the way in."""

    def __init__(self, d_model, num_heads, mask_future=False):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError("d_model % num_heads != 0")
        self.num_heads, self.d_k = num_heads, d_model // num_heads
        linear = {"in_features": d_model, "out_features": d_model, "bias": False, "dtype": torch.float32}
        self.query_transform = nn.Linear(**linear)
        self.key_transform = nn.Linear(**linear)
        self.value_transform = nn.Linear(**linear)
        self.output_transform = nn.Linear(**linear)
        self.attention = Attention(mask_future)

    def forward(self, query, key, value, attention_mask=None):
        batch = query.size(0)
        q = self.query_transform(query.float()).view(batch, -1, self.num_heads, self.d_k)
        k = self.key_transform(key.float()).view(batch, -1, self.num_heads, self.d_k)
        v = self.value_transform(value.float()).view(batch, -1, self.num_heads, self.d_k)
        out = self.attention(q.transpose(1, 2), k.transpose(1, 2), v.transpose(1, 2), attention_mask)
        return self.output_transform(out.transpose(1, 2).reshape(batch, -1, self.num_heads * self.d_k))
