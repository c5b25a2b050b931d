# %% encoder_layer
from torch import nn


class AddNorm(nn.Module):
    def __init__(self, d_model, sublayer):
        super().__init__()
        self.sublayer = sublayer
        self.norm = nn.LayerNorm(d_model)

    def forward(self, x, *args):
        return self.norm(x + self.sublayer(x, *args))


class EncoderLayer(nn.Module):
    """Each sub-layer has its own name and is a member of its wrapper, too."""

    def __init__(self, d_model, num_heads, d_ff, dropout=0.1):
        super().__init__()
        self.self_attention = MultiHeadAttention(d_model, num_heads, dropout=dropout)
        self.feature_transformation = nn.Sequential(
            PositionWiseFeedForward(d_model, d_ff), nn.Dropout(dropout)
        )
        self.add_norm_1 = AddNorm(d_model, self.self_attention)
        self.add_norm_2 = AddNorm(d_model, self.feature_transformation)

    def forward(self, x, attention_mask=None):
        return self.add_norm_2(self.add_norm_1(x, x, x, attention_mask))


# %% multi_head_attention
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads, mask_future=False, dropout=0.0):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError("d_model % num_heads != 0")
        self.num_heads = num_heads
        self.w_q = nn.Linear(d_model, d_model, bias=False)
        self.w_k = nn.Linear(d_model, d_model, bias=False)
        self.w_v = nn.Linear(d_model, d_model, bias=False)
        self.w_concat = nn.Linear(d_model, d_model, bias=False)
        self.attention = Attention(mask_future)
        self.dropout = nn.Dropout(dropout)

    def split(self, tensor):
        batch_size, length, _ = tensor.size()
        return tensor.view(batch_size, length, self.num_heads, -1).transpose(1, 2)

    def forward(self, q, k, v, mask=None):
        q, k, v = self.split(self.w_q(q)), self.split(self.w_k(k)), self.split(self.w_v(v))
        out = self.attention(q, k, v, mask).transpose(1, 2).contiguous()
        return self.dropout(self.w_concat(out.view(out.size(0), out.size(1), -1)))
