import torch.nn as nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads, mask_future=False):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError("d_model % num_heads != 0")
        self.num_heads = num_heads
        self.query_transform = nn.Linear(d_model, d_model, bias=False)
        self.key_transform = nn.Linear(d_model, d_model, bias=False)
        self.value_transform = nn.Linear(d_model, d_model, bias=False)
        self.output_transform = nn.Linear(d_model, d_model, bias=False)
        self.attention = Attention(mask_future)

    def forward(self, query, key, value, attention_mask=None):
        if attention_mask is not None and attention_mask.dim() == 2:
            attention_mask = attention_mask[:, None, None, :]
        batch = len(query)
        q, k, v = (
            linear(x).reshape(batch, x.size(1), self.num_heads, -1).transpose(1, 2)
            for linear, x in (
                (self.query_transform, query),
                (self.key_transform, key),
                (self.value_transform, value),
            )
        )
        heads = self.attention(q, k, v, attention_mask)
        return self.output_transform(heads.transpose(1, 2).reshape(batch, query.size(1), -1))
