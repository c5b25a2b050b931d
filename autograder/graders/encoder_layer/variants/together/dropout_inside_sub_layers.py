# %% encoder_layer
from torch import nn


class EncoderLayer(nn.Module):
    """The sub-layers end with their dropout, so there is none here."""

    def __init__(self, d_model, num_heads, d_ff, dropout=0.1):
        super().__init__()
        self.self_attention = MultiHeadAttention(d_model, num_heads, dropout=dropout)
        self.feature_transformation = PositionWiseFeedForward(d_model, d_ff, dropout)
        self.layer_norm_1 = nn.LayerNorm(d_model)
        self.layer_norm_2 = nn.LayerNorm(d_model)

    def forward(self, x, attention_mask=None):
        z = self.layer_norm_1(x + self.self_attention(x, x, x, attention_mask))
        return self.layer_norm_2(z + self.feature_transformation(z))


# %% feed_forward
from torch import nn


class PositionWiseFeedForward(nn.Sequential):
    def __init__(self, d_model, d_ff, dropout=0.0):
        super().__init__()
        self.linear1 = nn.Linear(d_model, d_ff)
        self.relu = nn.ReLU()
        self.linear2 = nn.Linear(d_ff, d_model)
        self.dropout = nn.Dropout(dropout)


# %% multi_head_attention
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
