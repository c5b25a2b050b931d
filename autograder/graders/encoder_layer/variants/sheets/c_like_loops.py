# %% attention
class Attention(nn.Module):
    def __init__(self, mask_future: bool = False):
        super().__init__()
        self.mask_future = mask_future

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, attention_mask: Tensor | None = None
    ) -> Tensor:
        n_q = query.shape[-2]
        n_k = key.shape[-2]
        inv = 1.0 / math.sqrt(query.shape[-1])

        hide = None
        if attention_mask is not None:
            shape = [1] * (query.dim() - 1)
            shape[0] = attention_mask.shape[0]
            shape[-1] = n_k
            hide = (attention_mask == 0).reshape(shape)

        rows = [None] * n_q
        for i in range(n_q):
            # query i reads the keys [0, end)
            end = n_k
            if self.mask_future and i + 1 < n_k:
                end = i + 1
            s = (query[..., i : i + 1, :] * key[..., 0:end, :]).sum(-1) * inv
            if hide is not None:
                s = s.masked_fill(hide[..., 0:end], float("-inf"))
            e = torch.exp(s - s.max(-1, keepdim=True).values)
            w = e / e.sum(-1, keepdim=True)
            rows[i] = (w.unsqueeze(-1) * value[..., 0:end, :]).sum(-2)
        return torch.stack(rows, dim=-2)


# %% encoder
class Encoder(nn.Module):
    def __init__(
        self, vocab_size: int, d_model: int, num_heads: int, d_ff: int, num_layers: int,
        dropout: float = 0.1, max_len: int = 512,
    ):
        super().__init__()
        self.n_layers = num_layers
        self.root = math.sqrt(d_model)
        self.embedding = nn.Embedding(vocab_size, d_model)
        self.dropout = nn.Dropout(dropout)
        self.layers = nn.ModuleList()
        n = 0
        while n < num_layers:
            self.layers.append(EncoderLayer(d_model, num_heads, d_ff, dropout))
            n += 1

        pe = [[0.0] * d_model for _ in range(max_len)]
        for i in range(d_model // 2):
            div = 10000.0 ** (2 * i / d_model)
            for pos in range(max_len):
                pe[pos][2 * i] = math.sin(pos / div)
                pe[pos][2 * i + 1] = math.cos(pos / div)
        self.register_buffer("pe", torch.tensor(pe))

    def forward(self, tokens: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        h = self.embedding(tokens) * self.root
        h = h + self.pe[0 : tokens.shape[1]]
        h = self.dropout(h)
        for i in range(0, self.n_layers):
            h = self.layers[i](h, attention_mask)
        return h


# %% encoder_layer
class EncoderLayer(nn.Module):
    def __init__(self, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.1):
        super().__init__()
        self.self_attention = MultiHeadAttention(d_model, num_heads)
        self.feature_transformation = PositionWiseFeedForward(d_model, d_ff)
        self.layer_norm_1 = nn.LayerNorm(d_model)
        self.layer_norm_2 = nn.LayerNorm(d_model)
        self.dropout_1 = nn.Dropout(dropout)
        self.dropout_2 = nn.Dropout(dropout)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        t = self.self_attention(x, x, x, attention_mask)
        t = self.dropout_1(t)
        t = x + t
        z = self.layer_norm_1(t)

        t = self.feature_transformation(z)
        t = self.dropout_2(t)
        t = z + t
        return self.layer_norm_2(t)


# %% feed_forward
class PositionWiseFeedForward(nn.Sequential):
    def __init__(self, d_model: int, d_ff: int):
        nn.Sequential.__init__(self)
        names = ["linear1", "relu", "linear2"]
        parts = [None, None, None]
        parts[0] = nn.Linear(d_model, d_ff)
        parts[1] = nn.ReLU()
        parts[2] = nn.Linear(d_ff, d_model)
        for i in range(0, 3):
            self.add_module(names[i], parts[i])


# %% multi_head_attention
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model: int, num_heads: int, mask_future: bool = False):
        super().__init__()
        if d_model - (d_model // num_heads) * num_heads != 0:
            raise ValueError("d_model % num_heads != 0")
        self.n = num_heads
        self.dk = d_model // num_heads
        self.wq = nn.Linear(d_model, d_model, bias=False)
        self.wk = nn.Linear(d_model, d_model, bias=False)
        self.wv = nn.Linear(d_model, d_model, bias=False)
        self.wo = nn.Linear(d_model, d_model, bias=False)
        self.attention = Attention(mask_future)

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, attention_mask: Tensor | None = None
    ) -> Tensor:
        q = self.wq(query)
        k = self.wk(key)
        v = self.wv(value)
        out = torch.zeros_like(q)
        for h in range(self.n):
            a = h * self.dk
            b = a + self.dk
            out[:, :, a:b] = self.attention(q[:, :, a:b], k[:, :, a:b], v[:, :, a:b], attention_mask)
        return self.wo(out)
