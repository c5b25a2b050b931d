# %% attention
class Attention(nn.Module):
    def __init__(self, mask_future: bool = False):
        super().__init__()
        self.mask_future = mask_future

    def forward(self, query, key, value, attention_mask=None):
        see = torch.ones(query.shape[-2], key.shape[-2], dtype=torch.bool, device=query.device)
        see = see.tril() if self.mask_future else see
        see = see if attention_mask is None else see & attention_mask.bool()[(..., *[None] * (query.ndim - 2), slice(None))]
        return F.scaled_dot_product_attention(query, key, value, attn_mask=see)


# %% encoder
from functools import reduce


class Encoder(nn.Module):
    def __init__(
        self, vocab_size: int, d_model: int, num_heads: int, d_ff: int, num_layers: int,
        dropout: float = 0.1, max_len: int = 512,
    ):
        super().__init__()
        self.embedding, self.drop = nn.Embedding(vocab_size, d_model), nn.Dropout(dropout)
        self.layers = nn.ModuleList(EncoderLayer(d_model, num_heads, d_ff, dropout) for _ in range(num_layers))
        a = torch.outer(torch.arange(max_len).double(), 1e4 ** -torch.arange(0, 1, 2 / d_model, dtype=torch.double)[: d_model // 2])
        self.pe = torch.view_as_real(torch.complex(a.sin(), a.cos())).flatten(1).float()  # sin, cos, sin, cos, ...

    def forward(self, tokens, attention_mask=None):
        x = self.drop(self.embedding(tokens) * self.pe.shape[1] ** 0.5 + self.pe[: tokens.shape[1]].to(tokens.device))
        return reduce(lambda h, layer: layer(h, attention_mask), self.layers, x)


# %% encoder_layer
class EncoderLayer(nn.Module):
    def __init__(self, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.1):
        super().__init__()
        self.self_attention, self.feature_transformation = MultiHeadAttention(d_model, num_heads), PositionWiseFeedForward(d_model, d_ff)
        self.layer_norm_1, self.layer_norm_2, self.drop = nn.LayerNorm(d_model), nn.LayerNorm(d_model), nn.Dropout(dropout)

    def forward(self, x, attention_mask=None):
        return self.layer_norm_2((z := self.layer_norm_1(x + self.drop(self.self_attention(*[x] * 3, attention_mask)))) + self.drop(self.feature_transformation(z)))


# %% feed_forward
class PositionWiseFeedForward(nn.Sequential):
    def __init__(self, d_model: int, d_ff: int):
        super().__init__()
        self._modules |= dict(linear1=nn.Linear(d_model, d_ff), relu=nn.ReLU(), linear2=nn.Linear(d_ff, d_model))


# %% multi_head_attention
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model: int, num_heads: int, mask_future: bool = False):
        super().__init__()
        self.d_k, rest = divmod(d_model, num_heads)
        if rest: raise ValueError(f"{d_model} / {num_heads} leaves {rest}")
        self.q, self.k, self.v, self.o = (nn.Linear(d_model, d_model, bias=False) for _ in "qkvo")
        self.attention = Attention(mask_future)

    def forward(self, query, key, value, attention_mask=None):
        cut = lambda x: torch.stack(x.split(self.d_k, -1), 1)
        heads = self.attention(cut(self.q(query)), cut(self.k(key)), cut(self.v(value)), attention_mask)
        return self.o(torch.cat(heads.unbind(1), -1))
