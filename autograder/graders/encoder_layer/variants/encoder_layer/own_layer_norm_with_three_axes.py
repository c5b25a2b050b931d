import torch
from torch import nn


class LayerNorm(nn.Module):
    """Scale and shift lie along the last of three axes, (1, 1, d_model)."""

    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.gamma = nn.Parameter(torch.ones(1, 1, d_model))
        self.beta = nn.Parameter(torch.zeros(1, 1, d_model))
        self.eps = eps

    def forward(self, x):
        var, mean = torch.var_mean(x, dim=-1, correction=0, keepdim=True)
        return (x - mean) / (var + self.eps).sqrt() * self.gamma + self.beta


class EncoderLayer(nn.Module):
    def __init__(self, d_model, num_heads, d_ff, dropout=0.1):
        super().__init__()
        self.self_attention = MultiHeadAttention(d_model, num_heads)
        self.feature_transformation = PositionWiseFeedForward(d_model, d_ff)
        self.layer_norm_1 = LayerNorm(d_model)
        self.layer_norm_2 = LayerNorm(d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, attention_mask=None):
        z = self.layer_norm_1(x + self.dropout(self.self_attention(x, x, x, attention_mask)))
        return self.layer_norm_2(z + self.dropout(self.feature_transformation(z)))
