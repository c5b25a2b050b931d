import torch.nn as nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads, mask_future=False):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError("num_heads does not divide d_model")
        self.h, self.d_k = num_heads, d_model // num_heads
        self.query_transform = nn.Linear(d_model, d_model, bias=False)
        self.key_transform = nn.Linear(d_model, d_model, bias=False)
        self.value_transform = nn.Linear(d_model, d_model, bias=False)
        self.output_transform = nn.Linear(d_model, d_model, bias=False)
        self.attention = Attention(mask_future)

    def forward(self, query, key, value, attention_mask=None):
        b, h, s, t, e = query.size(0), self.h, query.size(1), key.size(1), self.d_k
        queries = self.query_transform(query).view(b, s, h, e).transpose(1, 2).reshape(b * h, s, e)
        keys = self.key_transform(key).view(b, t, h, e).transpose(1, 2).reshape(b * h, t, e)
        values = self.value_transform(value).view(b, t, h, e).transpose(1, 2).reshape(b * h, t, e)
        if attention_mask is not None:
            attention_mask = attention_mask[:, None].expand(b, h, t).reshape(b * h, t)
        out = self.attention(queries, keys, values, attention_mask)
        return self.output_transform(out.view(b, h, s, e).transpose(1, 2).reshape(b, s, h * e))
