# %% attention
class Attention(nn.Module):
    def __init__(self, mask_future: bool = False):
        super().__init__()
        self.mask_future = mask_future

    def extra_repr(self):
        return f"mask_future={self.mask_future}"

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, attention_mask: Tensor | None = None
    ) -> Tensor:
        if attention_mask is None:
            return F.scaled_dot_product_attention(query, key, value, is_causal=self.mask_future)
        between = [1] * (query.ndim - 2)
        allowed = attention_mask.bool().unflatten(0, [-1] + between)  # (batch, 1, ..., 1, key_len)
        if self.mask_future:
            past = query.new_ones(query.size(-2), key.size(-2)).tril().bool()
            allowed = allowed & past
        return F.scaled_dot_product_attention(query, key, value, attn_mask=allowed)


# %% encoder
class Encoder(nn.Module):
    def __init__(
        self, vocab_size: int, d_model: int, num_heads: int, d_ff: int, num_layers: int,
        dropout: float = 0.1, max_len: int = 512,
    ):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, d_model)
        self.dropout = nn.Dropout(dropout)
        self.layers = nn.ModuleList(
            [EncoderLayer(d_model, num_heads, d_ff, dropout) for _ in range(num_layers)]
        )
        # points on the unit circle: real part cosine, imaginary part sine
        rates = torch.logspace(0, -1, d_model // 2 + 1, base=10000.0)[:-1]
        angles = torch.outer(torch.arange(max_len), rates)
        circle = torch.polar(torch.ones_like(angles), angles)
        table = torch.view_as_real(circle).flip(-1).flatten(-2)
        self.register_buffer("pe", table, persistent=False)

    def forward(self, tokens: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        emb = self.embedding(tokens)
        x = torch.add(self.pe[: tokens.size(1)], emb, alpha=emb.size(-1) ** 0.5)
        x = self.dropout(x)
        for layer in self.layers:
            x = layer(x, attention_mask)
        return x


# %% encoder_layer
class EncoderLayer(nn.Module):
    def __init__(self, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.1):
        super().__init__()
        self.self_attention = MultiHeadAttention(d_model, num_heads)
        self.feature_transformation = PositionWiseFeedForward(d_model, d_ff)
        self.layer_norm_1 = nn.LayerNorm(d_model)
        self.layer_norm_2 = nn.LayerNorm(d_model)
        self.drop = nn.ModuleDict({
            "attention": nn.Dropout(dropout),
            "feed_forward": nn.Dropout(dropout),
        })

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        attended = self.drop["attention"](self.self_attention(x, x, x, attention_mask))
        z = self.layer_norm_1(attended + x)
        transformed = self.drop["feed_forward"](self.feature_transformation(z))
        return self.layer_norm_2(transformed + z)


# %% feed_forward
class PositionWiseFeedForward(nn.Sequential):
    def __init__(self, d_model: int, d_ff: int):
        super().__init__()
        members = {
            "linear1": nn.Linear(d_model, d_ff),
            "relu": nn.ReLU(),
            "linear2": nn.Linear(d_ff, d_model),
        }
        for name, module in members.items():
            self.add_module(name, module)


# %% multi_head_attention
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model: int, num_heads: int, mask_future: bool = False):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError(f"d_model {d_model} is not divisible by num_heads {num_heads}")
        self.heads = num_heads
        self.q_proj = nn.Linear(d_model, d_model, bias=False)
        self.k_proj = nn.Linear(d_model, d_model, bias=False)
        self.v_proj = nn.Linear(d_model, d_model, bias=False)
        self.out_proj = nn.Linear(d_model, d_model, bias=False)
        self.attention = Attention(mask_future)

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, attention_mask: Tensor | None = None
    ) -> Tensor:
        q, k, v = (
            proj(x).unflatten(-1, (self.heads, -1)).transpose(1, 2)
            for proj, x in ((self.q_proj, query), (self.k_proj, key), (self.v_proj, value))
        )
        out = self.attention(q, k, v, attention_mask)
        return self.out_proj(out.transpose(1, 2).flatten(-2))
