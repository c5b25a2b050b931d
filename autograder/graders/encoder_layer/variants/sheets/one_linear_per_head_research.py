# %% attention
class Attention(nn.Module):
    def __init__(self, mask_future: bool = False):
        super().__init__()
        self.mask_future = mask_future

    def forward(self, query, key, value, attention_mask=None):
        logits = query @ key.mT / query.size(-1) ** 0.5
        if self.mask_future:
            i, j = (torch.arange(n, device=query.device) for n in logits.shape[-2:])
            logits = logits.masked_fill(j > i[:, None], -torch.inf)
        if attention_mask is not None:
            hide = attention_mask == 0
            logits = logits.masked_fill(hide.view(len(hide), *[1] * (logits.ndim - 2), -1), -torch.inf)
        return logits.softmax(-1) @ value


# %% encoder
from dataclasses import dataclass


@dataclass
class EncoderConfig:
    vocab_size: int
    d_model: int
    num_heads: int
    d_ff: int
    num_layers: int
    dropout: float = 0.1
    max_len: int = 512


def sinusoids(c: EncoderConfig) -> Tensor:
    w = 10_000 ** (-torch.arange(0, c.d_model, 2) / c.d_model)
    a = torch.outer(torch.arange(c.max_len), w)
    return torch.stack([a.sin(), a.cos()], -1).flatten(1)


class Encoder(nn.Module):
    def __init__(
        self, vocab_size: int, d_model: int, num_heads: int, d_ff: int, num_layers: int,
        dropout: float = 0.1, max_len: int = 512,
    ):
        super().__init__()
        self.cfg = c = EncoderConfig(vocab_size, d_model, num_heads, d_ff, num_layers, dropout, max_len)
        self.embedding = nn.Embedding(c.vocab_size, c.d_model)
        self.pos = nn.Parameter(sinusoids(c), requires_grad=False)
        self.drop = nn.Dropout(c.dropout)
        self.layers = nn.ModuleList(
            EncoderLayer(c.d_model, c.num_heads, c.d_ff, c.dropout) for _ in range(c.num_layers)
        )

    def forward(self, tokens, attention_mask=None):
        h = self.drop(self.embedding(tokens) * self.cfg.d_model**0.5 + self.pos[: tokens.size(1)])
        for layer in self.layers:
            h = layer(h, attention_mask)
        return h


# %% encoder_layer
class EncoderLayer(nn.Module):
    def __init__(self, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.1):
        super().__init__()
        self.self_attention = MultiHeadAttention(d_model, num_heads)
        self.feature_transformation = PositionWiseFeedForward(d_model, d_ff)
        self.layer_norm_1, self.layer_norm_2 = nn.LayerNorm(d_model), nn.LayerNorm(d_model)
        self.drop = nn.Dropout(dropout)

    def forward(self, x, attention_mask=None):
        x = self.layer_norm_1(x + self.drop(self.self_attention(x, x, x, attention_mask)))
        return self.layer_norm_2(x + self.drop(self.feature_transformation(x)))


# %% feed_forward
class PositionWiseFeedForward(nn.Sequential):
    """FFN(x) = W2 relu(W1 x + b1) + b2, tokenwise."""

    def __init__(self, d_model: int, d_ff: int):
        super().__init__()
        self.linear1 = nn.Linear(d_model, d_ff)
        self.relu = nn.ReLU(inplace=True)
        self.linear2 = nn.Linear(d_ff, d_model)


# %% multi_head_attention
from dataclasses import dataclass


@dataclass(frozen=True)
class MHAConfig:
    d_model: int
    n_heads: int

    def __post_init__(self):
        if self.d_model % self.n_heads:
            raise ValueError(f"{self.d_model=} not divisible by {self.n_heads=}")

    @property
    def d_head(self):
        return self.d_model // self.n_heads


def per_head(c: MHAConfig):
    return nn.ModuleList([nn.Linear(c.d_model, c.d_head, bias=False) for _ in range(c.n_heads)])


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model: int, num_heads: int, mask_future: bool = False):
        super().__init__()
        self.cfg = c = MHAConfig(d_model, num_heads)
        self.to_q, self.to_k, self.to_v = per_head(c), per_head(c), per_head(c)
        self.proj = nn.Linear(d_model, d_model, bias=False)
        self.attention = Attention(mask_future)

    def forward(self, query, key, value, attention_mask=None):
        heads = [
            self.attention(q(query), k(key), v(value), attention_mask)
            for q, k, v in zip(self.to_q, self.to_k, self.to_v)
        ]
        return self.proj(torch.cat(heads, -1))
