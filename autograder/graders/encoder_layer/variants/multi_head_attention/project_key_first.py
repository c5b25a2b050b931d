import torch.nn as nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads, mask_future=False):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError("d_model must be divisible by num_heads")
        self.num_heads = num_heads
        self.project_key = nn.Linear(d_model, d_model, bias=False)
        self.project_value = nn.Linear(d_model, d_model, bias=False)
        self.project_query = nn.Linear(d_model, d_model, bias=False)
        self.project_output = nn.Linear(d_model, d_model, bias=False)
        self.attention = Attention(mask_future)

    def forward(self, query, key, value, attention_mask=None):
        def heads(x):
            return x.unflatten(-1, (self.num_heads, -1)).transpose(-3, -2)

        q, k = heads(self.project_query(query)), heads(self.project_key(key))
        v = heads(self.project_value(value))
        out = self.attention(q, k, v, attention_mask)
        return self.project_output(out.transpose(-3, -2).flatten(-2))
