import torch.nn as nn


class MultiHeadAttention(nn.Module):
    def __init__(self, embed_size, heads, mask_future=False):
        super(MultiHeadAttention, self).__init__()
        self.embed_size = embed_size
        self.heads = heads
        self.head_dim = embed_size // heads
        if self.head_dim * heads != embed_size:
            raise ValueError("Embedding size needs to be divisible by heads")

        self.values = nn.Linear(embed_size, embed_size, bias=False)
        self.keys = nn.Linear(embed_size, embed_size, bias=False)
        self.queries = nn.Linear(embed_size, embed_size, bias=False)
        self.fc_out = nn.Linear(heads * self.head_dim, embed_size, bias=False)
        self.attention = Attention(mask_future)

    def forward(self, query, keys, values, mask=None):
        N = query.shape[0]
        value_len, key_len, query_len = values.shape[1], keys.shape[1], query.shape[1]
        values = self.values(values).reshape(N, value_len, self.heads, self.head_dim)
        keys = self.keys(keys).reshape(N, key_len, self.heads, self.head_dim)
        queries = self.queries(query).reshape(N, query_len, self.heads, self.head_dim)
        out = self.attention(
            queries.transpose(1, 2), keys.transpose(1, 2), values.transpose(1, 2), mask
        )
        return self.fc_out(out.transpose(1, 2).reshape(N, query_len, self.embed_size))
