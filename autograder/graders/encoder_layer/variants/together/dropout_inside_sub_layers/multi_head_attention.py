from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads, mask_future=False, dropout=0.0):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError("d_model is no multiple of num_heads")
        self.num_heads = num_heads
        self.query_transform = nn.Linear(d_model, d_model, bias=False)
        self.key_transform = nn.Linear(d_model, d_model, bias=False)
        self.value_transform = nn.Linear(d_model, d_model, bias=False)
        self.output_transform = nn.Linear(d_model, d_model, bias=False)
        self.attention = Attention(mask_future)
        self.dropout = nn.Dropout(dropout)

    def forward(self, query, key, value, attention_mask=None):
        q = self.query_transform(query).unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
        k = self.key_transform(key).unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
        v = self.value_transform(value).unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
        heads = self.attention(q, k, v, attention_mask)
        return self.dropout(self.output_transform(heads.transpose(1, 2).flatten(-2)))
