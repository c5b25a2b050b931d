import torch
import torch.nn as nn


class LayerNorm(nn.Module):
    "Construct a layernorm module (biased variance, epsilon below the root)."

    def __init__(self, features, eps=1e-5):
        super(LayerNorm, self).__init__()
        self.b_2 = nn.Parameter(torch.zeros(features))
        self.a_2 = nn.Parameter(torch.ones(features))
        self.eps = eps

    def forward(self, x):
        centered = x - x.mean(-1, keepdim=True)
        return self.a_2 * centered * torch.rsqrt(centered.pow(2).mean(-1, True) + self.eps) + self.b_2


class EncoderLayer(nn.Module):
    def __init__(self, size, h, d_ff, dropout=0.1):
        super(EncoderLayer, self).__init__()
        self.self_attn = MultiHeadAttention(size, h)
        self.feed_forward = PositionWiseFeedForward(size, d_ff)
        self.norm2 = LayerNorm(size)
        self.norm1 = LayerNorm(size)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, mask=None):
        x = self.norm1(x + self.dropout(self.self_attn(x, x, x, mask)))
        return self.norm2(x + self.dropout(self.feed_forward(x)))
