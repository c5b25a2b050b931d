# %% encoder_layer
from torch import nn


class EncoderLayer(nn.Module):
    """One dropout is that of the attention, the other one stands here."""

    def __init__(self, d_model, num_heads, d_ff, dropout=0.1):
        super().__init__()
        self.self_attention = MultiHeadAttention(d_model, num_heads, dropout=dropout)
        self.feature_transformation = nn.Sequential(
            PositionWiseFeedForward(d_model, d_ff), nn.Dropout(dropout)
        )
        self.layer_norm_1, self.layer_norm_2 = nn.LayerNorm(d_model), nn.LayerNorm(d_model)

    def forward(self, x, attention_mask=None):
        x = self.layer_norm_1(self.self_attention(x, x, x, attention_mask) + x)
        return self.layer_norm_2(self.feature_transformation(x) + x)


# %% multi_head_attention
import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    """The statement's four transforms; the output ends with a dropout at the caller's rate."""

    def __init__(self, d_model, num_heads, mask_future=False, dropout=0.0):
        super().__init__()
        if d_model % num_heads:
            raise ValueError("d_model % num_heads")
        self.query_transform = nn.Linear(d_model, d_model, bias=False)
        self.key_transform = nn.Linear(d_model, d_model, bias=False)
        self.value_transform = nn.Linear(d_model, d_model, bias=False)
        self.output_transform = nn.Linear(d_model, d_model, bias=False)
        self.attention = Attention(mask_future)
        self.num_heads, self.dropout = num_heads, nn.Dropout(dropout)

    def forward(self, query, key, value, attention_mask=None):
        q = self.query_transform(query).chunk(self.num_heads, -1)
        k = self.key_transform(key).chunk(self.num_heads, -1)
        v = self.value_transform(value).chunk(self.num_heads, -1)
        heads = [self.attention(*one, attention_mask) for one in zip(q, k, v)]
        return self.dropout(self.output_transform(torch.cat(heads, -1)))
