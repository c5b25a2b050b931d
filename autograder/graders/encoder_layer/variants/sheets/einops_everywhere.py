# %% attention
from einops import einsum, rearrange


class Attention(nn.Module):
    def __init__(self, mask_future: bool = False):
        super().__init__()
        self.mask_future = mask_future

    def forward(self, query, key, value, attention_mask=None):
        sim = einsum(query, key, "... i d, ... j d -> ... i j") / math.sqrt(query.shape[-1])
        low = torch.finfo(sim.dtype).min
        if self.mask_future:
            i = rearrange(torch.arange(sim.shape[-2], device=sim.device), "i -> i 1")
            j = rearrange(torch.arange(sim.shape[-1], device=sim.device), "j -> 1 j")
            sim = torch.where(j <= i, sim, low)
        if attention_mask is not None:
            ones = "1 " * (sim.ndim - 2)
            keep = rearrange(attention_mask.bool(), f"b j -> b {ones} j")
            sim = torch.where(keep, sim, low)
        return einsum(sim.softmax(dim=-1), value, "... i j, ... j d -> ... i d")


# %% encoder
from einops import einsum, rearrange


class Encoder(nn.Module):
    def __init__(
        self, vocab_size: int, d_model: int, num_heads: int, d_ff: int, num_layers: int,
        dropout: float = 0.1, max_len: int = 512,
    ):
        super().__init__()
        self.scale = math.sqrt(d_model)
        self.embedding = nn.Embedding(vocab_size, d_model)
        self.dropout = nn.Dropout(dropout)
        self.layers = nn.ModuleList(
            [EncoderLayer(d_model, num_heads, d_ff, dropout=dropout) for _ in range(num_layers)]
        )
        freq = 1.0 / 10000 ** (torch.arange(0, d_model, 2).float() / d_model)
        angle = einsum(torch.arange(max_len).float(), freq, "pos, i -> pos i")
        waves = torch.stack([angle.sin(), angle.cos()])
        self.register_buffer("pos_emb", rearrange(waves, "two pos i -> pos (i two)"))

    def forward(self, tokens, attention_mask=None):
        pos = rearrange(self.pos_emb[: tokens.shape[1]], "n d -> 1 n d")
        x = self.dropout(self.embedding(tokens) * self.scale + pos)
        for block in self.layers:
            x = block(x, attention_mask)
        return x


# %% encoder_layer
from einops import reduce


class EinLayerNorm(nn.LayerNorm):
    """nn.LayerNorm, spelled out with reduce."""

    def forward(self, x):
        x = x - reduce(x, "... d -> ... 1", "mean")
        var = reduce(x**2, "... d -> ... 1", "mean")
        return x * torch.rsqrt(var + self.eps) * self.weight + self.bias


class EncoderLayer(nn.Module):
    def __init__(self, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.1):
        super().__init__()
        self.self_attention = MultiHeadAttention(d_model, num_heads)
        self.feature_transformation = PositionWiseFeedForward(d_model, d_ff)
        self.layer_norm_1 = EinLayerNorm(d_model)
        self.layer_norm_2 = EinLayerNorm(d_model)
        self.drop_attn = nn.Dropout(dropout)
        self.drop_ff = nn.Dropout(dropout)

    def forward(self, x, attention_mask=None):
        z = self.layer_norm_1(x + self.drop_attn(self.self_attention(x, x, x, attention_mask)))
        return self.layer_norm_2(z + self.drop_ff(self.feature_transformation(z)))


# %% feed_forward
class PositionWiseFeedForward(nn.Sequential):
    def __init__(self, d_model: int, d_ff: int):
        # b n d -> b n f -> b n d
        super().__init__()
        sizes = {"linear1": (d_model, d_ff), "relu": None, "linear2": (d_ff, d_model)}
        for name, size in sizes.items():
            self.register_module(name, nn.Linear(*size) if size else nn.ReLU())


# %% multi_head_attention
from einops import rearrange
from einops.layers.torch import Rearrange


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model: int, num_heads: int, mask_future: bool = False):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError("(h d) does not fit: d_model is no multiple of num_heads")
        self.h = num_heads
        self.to_q = nn.Sequential(
            nn.Linear(d_model, d_model, bias=False), Rearrange("b n (h d) -> b h n d", h=num_heads)
        )
        self.to_k = nn.Sequential(
            nn.Linear(d_model, d_model, bias=False), Rearrange("b n (h d) -> b h n d", h=num_heads)
        )
        self.to_v = nn.Sequential(
            nn.Linear(d_model, d_model, bias=False), Rearrange("b n (h d) -> b h n d", h=num_heads)
        )
        self.attention = Attention(mask_future)
        self.to_out = nn.Linear(d_model, d_model, bias=False)

    def forward(self, query, key, value, attention_mask=None):
        out = self.attention(self.to_q(query), self.to_k(key), self.to_v(value), attention_mask)
        return self.to_out(rearrange(out, "b h n d -> b n (h d)"))
