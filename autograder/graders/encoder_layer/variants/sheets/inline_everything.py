# %% attention
class Attention(nn.Module):
    def __init__(self, mask_future: bool = False):
        super().__init__()
        self.mask_future = mask_future

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, attention_mask: Tensor | None = None
    ) -> Tensor:
        s = torch.einsum("...qd,...kd->...qk", query, key) / query.size(-1) ** 0.5
        # log 1 = 0 leaves a score alone, log 0 = -inf removes it
        if attention_mask is not None:
            m = attention_mask.bool().to(s.dtype).log()
            s = s + m.reshape(m.size(0), *[1] * (s.dim() - 2), m.size(1))
        if self.mask_future:
            s = s + s.new_ones(s.shape[-2:]).tril().log()
        return torch.einsum("...qk,...kd->...qd", s.softmax(-1), value)


# %% encoder
class Encoder(nn.Module):
    def __init__(
        self, vocab_size: int, d_model: int, num_heads: int, d_ff: int, num_layers: int,
        dropout: float = 0.1, max_len: int = 512,
    ):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, d_model)
        self.layers = nn.ModuleList(
            [EncoderLayer(d_model, num_heads, d_ff, dropout) for _ in range(num_layers)]
        )
        self.p = dropout

    def forward(self, tokens: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        w = self.embedding.weight
        D = w.size(1)
        x = F.embedding(tokens, w) * math.sqrt(D)
        pos = torch.arange(tokens.size(1), device=x.device, dtype=x.dtype).view(-1, 1)
        i2 = torch.arange(0, D, 2, device=x.device, dtype=x.dtype)
        angle = pos / 10000 ** (i2 / D)
        pe = torch.stack((angle.sin(), angle.cos()), dim=-1).flatten(1)
        x = F.dropout(x + pe, self.p, self.training)
        for layer in self.layers:
            x = layer(x, attention_mask)
        return x


# %% encoder_layer
from collections import OrderedDict


class EncoderLayer(nn.Module):
    def __init__(self, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.1):
        super().__init__()
        if d_model % num_heads:
            raise ValueError("d_model % num_heads must be 0")
        self.h = num_heads
        self.self_attention = nn.ModuleDict(
            {name: nn.Linear(d_model, d_model, bias=False) for name in ("q", "k", "v", "o")}
        )
        self.feature_transformation = nn.Sequential(OrderedDict([
            ("linear1", nn.Linear(d_model, d_ff)),
            ("relu", nn.ReLU()),
            ("linear2", nn.Linear(d_ff, d_model)),
        ]))
        self.layer_norm_1 = nn.LayerNorm(d_model)
        self.layer_norm_2 = nn.LayerNorm(d_model)
        self.p = dropout

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        B, S, D = x.shape
        q, k, v = [
            self.self_attention[n](x).view(B, S, self.h, -1).transpose(1, 2) for n in "qkv"
        ]
        w = (q @ k.transpose(2, 3)) / math.sqrt(q.size(-1))
        # float64, so that nothing is lost when the hidden weights are taken out afterwards
        w = w.double().softmax(dim=-1)
        if attention_mask is not None:
            w = w * attention_mask[:, None, None, :].bool()
            w = w / w.sum(dim=-1, keepdim=True)
        a = (w.to(v.dtype) @ v).transpose(1, 2).reshape(B, S, D)
        a = self.self_attention["o"](a)
        a = F.dropout(a, self.p, self.training)
        z = self.layer_norm_1(x + a)
        f = F.dropout(self.feature_transformation(z), self.p, self.training)
        return self.layer_norm_2(z + f)


# %% feed_forward
class PositionWiseFeedForward(nn.Sequential):
    def __init__(self, d_model: int, d_ff: int):
        nn.Module.__init__(self)
        for name, m in zip(
            ["linear1", "relu", "linear2"],
            [nn.Linear(d_model, d_ff), nn.ReLU(), nn.Linear(d_ff, d_model)],
        ):
            setattr(self, name, m)


# %% multi_head_attention
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model: int, num_heads: int, mask_future: bool = False):
        super().__init__()
        if d_model % num_heads > 0:
            raise ValueError("d_model % num_heads must be 0")
        self.h = num_heads
        self.mask_future = mask_future
        self.q = nn.Linear(d_model, d_model, bias=False)
        self.k = nn.Linear(d_model, d_model, bias=False)
        self.v = nn.Linear(d_model, d_model, bias=False)
        self.o = nn.Linear(d_model, d_model, bias=False)
        self.attention = nn.Softmax(dim=-1)

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, attention_mask: Tensor | None = None
    ) -> Tensor:
        B, Q, D = query.shape
        K = key.shape[1]
        q = self.q(query).view(B, Q, self.h, D // self.h)
        k = self.k(key).view(B, K, self.h, D // self.h)
        v = self.v(value).view(B, K, self.h, D // self.h)
        s = torch.einsum("bqhd,bkhd->bhqk", q, k) / math.sqrt(D // self.h)
        ok = torch.ones(B, 1, Q, K, dtype=torch.bool, device=s.device)
        if attention_mask is not None:
            ok = ok & (attention_mask.view(B, 1, 1, K) > 0)
        if self.mask_future:
            ok = ok.tril()
        s = s.masked_fill(~ok, -1e9)
        w = self.attention(s)
        return self.o(torch.einsum("bhqk,bkhd->bqhd", w, v).reshape(B, Q, D))
