from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads, mask_future=False, attention_dropout=0.0):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError("d_model is no multiple of num_heads")
        self.num_heads = num_heads
        self.query_transform = nn.Linear(d_model, d_model, bias=False)
        self.key_transform = nn.Linear(d_model, d_model, bias=False)
        self.value_transform = nn.Linear(d_model, d_model, bias=False)
        self.output_transform = nn.Linear(d_model, d_model, bias=False)
        self.attention = Attention(mask_future, attention_dropout)

    def split(self, x):
        return x.reshape(*x.shape[:2], self.num_heads, -1).permute(0, 2, 1, 3)

    def forward(self, query, key, value, attention_mask=None):
        q = self.split(self.query_transform(query))
        k = self.split(self.key_transform(key))
        v = self.split(self.value_transform(value))
        out = self.attention(q, k, v, attention_mask).permute(0, 2, 1, 3)
        return self.output_transform(out.reshape(query.shape))
