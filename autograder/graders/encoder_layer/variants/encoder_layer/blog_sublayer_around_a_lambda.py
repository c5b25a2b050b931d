import torch
from torch import Tensor, nn


class HandMadeLayerNorm(nn.Module):
    "Construct a layernorm module by hand, to see what is inside."

    def __init__(self, features, eps=1e-5):
        super().__init__()
        self.a_2 = nn.Parameter(torch.ones(features))
        self.b_2 = nn.Parameter(torch.zeros(features))
        self.eps = eps

    def forward(self, x):
        mean = x.mean(-1, keepdim=True)
        std = (x.var(-1, unbiased=False, keepdim=True) + self.eps).sqrt()
        return self.a_2 * (x - mean) / std + self.b_2


class SublayerConnection(nn.Module):
    "x + Dropout(sublayer(x)). The norm follows outside, in the layer."

    def __init__(self, dropout):
        super().__init__()
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, sublayer):
        "Apply residual connection to any sublayer with the same size."
        return x + self.dropout(sublayer(x))


class EncoderLayer(nn.Module):
    "Encoder is made up of self-attn and feed forward (defined above)"

    def __init__(self, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.1):
        super().__init__()
        self.self_attention = MultiHeadAttention(d_model, num_heads)
        self.feature_transformation = PositionWiseFeedForward(d_model, d_ff)
        self.layer_norm_1 = HandMadeLayerNorm(d_model)
        self.layer_norm_2 = HandMadeLayerNorm(d_model)
        self.sublayer = nn.ModuleList([SublayerConnection(dropout) for _ in range(2)])

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        x = self.layer_norm_1(
            self.sublayer[0](x, lambda x: self.self_attention(x, x, x, attention_mask))
        )
        return self.layer_norm_2(self.sublayer[1](x, self.feature_transformation))
