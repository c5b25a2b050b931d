import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    """Four matrices of its own, multiplied from the right."""

    def __init__(self, d_model, num_heads, mask_future=False):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError("num_heads does not divide d_model")
        self.num_heads = num_heads
        for name in ("W_O", "W_V", "W_K", "W_Q"):
            matrix = nn.Parameter(torch.empty(d_model, d_model))
            setattr(self, name, nn.init.xavier_uniform_(matrix))
        self.attention = Attention(mask_future)

    def forward(self, query, key, value, attention_mask=None):
        pairs = (query, self.W_Q), (key, self.W_K), (value, self.W_V)
        q, k, v = ((x @ W).unflatten(-1, (self.num_heads, -1)).transpose(1, 2) for x, W in pairs)
        heads = self.attention(q, k, v, attention_mask)
        return heads.transpose(1, 2).flatten(2) @ self.W_O
