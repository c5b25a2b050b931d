# %% attention
import numpy as np


class Attention(nn.Module):
    def __init__(self, mask_future: bool = False):
        super().__init__()
        self.mask_future = mask_future

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, attention_mask: Tensor | None = None
    ) -> Tensor:
        n, m = query.shape[-2], key.shape[-2]
        scores = query @ key.swapaxes(-1, -2) / np.sqrt(query.shape[-1])
        visible = np.ones((n, m), dtype=bool)
        if self.mask_future:
            visible = np.tril(visible)
        visible = torch.from_numpy(visible).to(scores.device)
        if attention_mask is not None:
            axes = (slice(None),) + (None,) * (scores.ndim - 2)
            visible = visible & (attention_mask != 0)[axes]
        # softmax by hand; the peak is that of the visible scores only
        peak = torch.where(visible, scores, -np.inf).amax(axis=-1, keepdims=True).detach()
        e = torch.exp((scores - peak).clip(max=0)) * visible
        weights = e / e.sum(axis=-1, keepdims=True)
        return weights @ value


# %% encoder
import numpy as np


class Encoder(nn.Module):
    def __init__(
        self, vocab_size: int, d_model: int, num_heads: int, d_ff: int, num_layers: int,
        dropout: float = 0.1, max_len: int = 512,
    ):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, d_model)
        pos = np.arange(max_len)
        freq = 10000.0 ** (-np.arange(0, d_model, 2) / d_model)
        angles = np.outer(pos, freq)
        table = np.empty((max_len, d_model))
        table[:, 0::2] = np.sin(angles)
        table[:, 1::2] = np.cos(angles)
        self.positions = nn.Parameter(torch.tensor(table, dtype=torch.float32), requires_grad=False)
        self.scale = float(np.sqrt(d_model))
        self.drop = nn.Dropout(dropout)
        layers = [EncoderLayer(d_model, num_heads, d_ff, dropout) for _ in range(num_layers)]
        self.layers = nn.ModuleList(layers)

    def forward(self, tokens: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        batch, seq = tokens.shape
        x = self.embedding(tokens) * self.scale + self.positions[None, :seq]
        x = self.drop(x)
        for layer in self.layers:
            x = layer(x, attention_mask)
        return x


# %% encoder_layer
class Normalise(nn.Module):
    def __init__(self, n, eps=1e-5):
        super().__init__()
        self.gain = nn.Parameter(torch.ones(n))
        self.shift = nn.Parameter(torch.zeros(n))
        self.eps = eps

    def forward(self, x):
        mu = x.mean(axis=-1, keepdims=True)
        sigma = (x.var(axis=-1, keepdims=True, correction=0) + self.eps) ** 0.5
        return self.gain * ((x - mu) / sigma) + self.shift


class Drop(nn.Module):
    """Inverted dropout from random numbers."""

    def __init__(self, p):
        super().__init__()
        self.p = p

    def forward(self, x):
        if not self.training or self.p == 0:
            return x
        keep = torch.rand(x.shape, device=x.device) >= self.p
        return x * keep / max(1 - self.p, 1e-12)


class EncoderLayer(nn.Module):
    def __init__(self, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.1):
        super().__init__()
        self.self_attention = MultiHeadAttention(d_model, num_heads)
        self.feature_transformation = PositionWiseFeedForward(d_model, d_ff)
        self.layer_norm_1 = Normalise(d_model)
        self.layer_norm_2 = Normalise(d_model)
        self.drop = Drop(dropout)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        a = self.self_attention(x, x, x, attention_mask)
        z = self.layer_norm_1(x + self.drop(a))
        f = self.feature_transformation(z)
        return self.layer_norm_2(z + self.drop(f))


# %% feed_forward
class PositionWiseFeedForward(nn.Sequential):
    def __init__(self, d_model: int, d_ff: int):
        super().__init__()
        # max(0, x @ W1 + b1) @ W2 + b2
        self.linear1 = nn.Linear(d_model, d_ff)
        self.relu = nn.ReLU()
        self.linear2 = nn.Linear(d_ff, d_model)


# %% multi_head_attention
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model: int, num_heads: int, mask_future: bool = False):
        super().__init__()
        if d_model // num_heads * num_heads != d_model:
            raise ValueError("num_heads does not divide d_model")
        self.num_heads = num_heads
        self.W_q = nn.Linear(d_model, d_model, bias=False)
        self.W_k = nn.Linear(d_model, d_model, bias=False)
        self.W_v = nn.Linear(d_model, d_model, bias=False)
        self.W_o = nn.Linear(d_model, d_model, bias=False)
        self.attention = Attention(mask_future)

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, attention_mask: Tensor | None = None
    ) -> Tensor:
        Q = query @ self.W_q.weight.T
        K = key @ self.W_k.weight.T
        V = value @ self.W_v.weight.T
        d_k = Q.shape[-1] // self.num_heads
        result = torch.zeros_like(Q)
        for h in range(self.num_heads):
            cols = slice(h * d_k, (h + 1) * d_k)
            result[..., cols] = self.attention(
                Q[..., cols], K[..., cols], V[..., cols], attention_mask
            )
        return result @ self.W_o.weight.T
