import torch.nn as nn


class MultiHeadAttention(nn.Module):
    """Heads are folded into the batch, so that attention needs three dimensions only."""

    def __init__(self, d_model, num_heads, mask_future=False):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError("d_model has to be divisible by num_heads")
        self.num_heads = num_heads
        self.query_transform = nn.Linear(d_model, d_model, bias=False)
        self.key_transform = nn.Linear(d_model, d_model, bias=False)
        self.value_transform = nn.Linear(d_model, d_model, bias=False)
        self.output_transform = nn.Linear(d_model, d_model, bias=False)
        self.attention = Attention(mask_future)

    def fold(self, x):
        b, s, d = x.shape
        x = x.reshape(b, s, self.num_heads, d // self.num_heads).permute(0, 2, 1, 3)
        return x.reshape(b * self.num_heads, s, -1)

    def forward(self, query, key, value, attention_mask=None):
        b, s, d = query.shape
        q = self.fold(self.query_transform(query))
        k = self.fold(self.key_transform(key))
        v = self.fold(self.value_transform(value))
        if attention_mask is not None:
            attention_mask = attention_mask.repeat_interleave(self.num_heads, dim=0)
        out = self.attention(q, k, v, attention_mask)
        out = out.reshape(b, self.num_heads, s, -1).permute(0, 2, 1, 3).reshape(b, s, d)
        return self.output_transform(out)
