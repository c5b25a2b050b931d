import torch
from torch import nn
from torch.nn import functional as F


class Norm(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.b = nn.Parameter(torch.zeros(n))
        self.w = nn.Parameter(torch.ones(n))

    def forward(self, x):
        return F.layer_norm(x, x.shape[-1:], self.w, self.b)


class EncoderLayer(nn.Module):
    def __init__(self, d_model, num_heads, d_ff, dropout=0.1):
        super().__init__()
        self.self_attention = MultiHeadAttention(d_model, num_heads)
        self.feature_transformation = PositionWiseFeedForward(d_model, d_ff)
        self.layer_norm_1, self.layer_norm_2 = Norm(d_model), Norm(d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, attention_mask=None):
        x = self.layer_norm_1(x + self.dropout(self.self_attention(x, x, x, attention_mask)))
        return self.layer_norm_2(x + self.dropout(self.feature_transformation(x)))
