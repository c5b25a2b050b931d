# %% attention
class Attention(nn.Module):

    def __init__(self, mask_future: bool = False):
        super().__init__()
        self.mask_future = mask_future

    def forward(self, query: Tensor, key: Tensor, value: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        q, k, v = query, key, value
        T, S = q.size(-2), k.size(-2)
        # (B, nh, T, hs) x (B, nh, hs, S) -> (B, nh, T, S)
        att = (q @ k.transpose(-2, -1)) * (1.0 / math.sqrt(k.size(-1)))
        if self.mask_future:
            tril = torch.tril(torch.ones(T, S, device=q.device))
            att = att.masked_fill(tril == 0, float('-inf'))
        if attention_mask is not None:
            m = attention_mask
            for _ in range(att.dim() - 2):
                m = m.unsqueeze(-2)
            att = att.masked_fill(m == 0, float('-inf'))
        att = F.softmax(att, dim=-1)
        return att @ v # (B, nh, T, S) x (B, nh, S, hs) -> (B, nh, T, hs)


# %% encoder
class Encoder(nn.Module):

    def __init__(
        self, vocab_size: int, d_model: int, num_heads: int, d_ff: int, num_layers: int,
        dropout: float = 0.1, max_len: int = 512,
    ):
        super().__init__()
        self.block_size = max_len
        self.embedding = nn.Embedding(vocab_size, d_model) # wte
        self.drop = nn.Dropout(dropout)
        self.layers = nn.ModuleList([EncoderLayer(d_model, num_heads, d_ff, dropout) for _ in range(num_layers)])
        # wpe, but fixed
        pos = torch.arange(max_len).unsqueeze(1)
        div = torch.exp(torch.arange(0, d_model, 2) * (-math.log(10000.0) / d_model))
        wpe = torch.zeros(max_len, d_model)
        wpe[:, 0::2] = torch.sin(pos * div)
        wpe[:, 1::2] = torch.cos(pos * div)
        self.register_buffer('wpe', wpe)
        self.embedding.apply(self._init_weights)

    def _init_weights(self, module):
        torch.nn.init.normal_(module.weight, mean=0.0, std=0.02)

    def forward(self, tokens: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        b, t = tokens.size()
        assert t <= self.block_size, f"cannot forward sequence of length {t}, max_len is only {self.block_size}"
        tok_emb = self.embedding(tokens) * self.embedding.embedding_dim**0.5 # (b, t, n_embd)
        pos_emb = self.wpe[:t] # (t, n_embd)
        x = self.drop(tok_emb + pos_emb)
        for block in self.layers:
            x = block(x, attention_mask)
        return x


# %% encoder_layer
class EncoderLayer(nn.Module):

    def __init__(self, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.1):
        super().__init__()
        self.self_attention = MultiHeadAttention(d_model, num_heads)
        self.layer_norm_1 = nn.LayerNorm(d_model)
        self.feature_transformation = PositionWiseFeedForward(d_model, d_ff)
        self.layer_norm_2 = nn.LayerNorm(d_model)
        self.resid_dropout = nn.Dropout(dropout)

    def attn(self, x, mask):
        return self.resid_dropout(self.self_attention(x, x, x, mask))

    def mlp(self, x):
        return self.resid_dropout(self.feature_transformation(x))

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        x = self.layer_norm_1(x + self.attn(x, attention_mask)) # communicate
        x = self.layer_norm_2(x + self.mlp(x)) # think
        return x


# %% feed_forward
class PositionWiseFeedForward(nn.Sequential):

    def __init__(self, d_model: int, d_ff: int):
        super().__init__()
        self.linear1 = nn.Linear(d_model, d_ff)  # c_fc
        self.relu    = nn.ReLU()
        self.linear2 = nn.Linear(d_ff, d_model)  # c_proj


# %% multi_head_attention
class MultiHeadAttention(nn.Module):

    def __init__(self, d_model: int, num_heads: int, mask_future: bool = False):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError('n_embd must be a multiple of n_head')
        self.n_head = num_heads
        self.n_embd = d_model
        # query, key and value projections for all heads, in one matrix
        self.c_attn = nn.Linear(d_model, 3 * d_model, bias=False)
        # output projection
        self.c_proj = nn.Linear(d_model, d_model, bias=False)
        self.attention = Attention(mask_future)

    def forward(self, query: Tensor, key: Tensor, value: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        B, T, C = query.size()
        S = key.size(1)
        wq, wk, wv = self.c_attn.weight.split(self.n_embd, dim=0)
        q = F.linear(query, wq).view(B, T, self.n_head, C // self.n_head).transpose(1, 2) # (B, nh, T, hs)
        k = F.linear(key,   wk).view(B, S, self.n_head, C // self.n_head).transpose(1, 2) # (B, nh, S, hs)
        v = F.linear(value, wv).view(B, S, self.n_head, C // self.n_head).transpose(1, 2) # (B, nh, S, hs)
        y = self.attention(q, k, v, attention_mask)
        y = y.transpose(1, 2).contiguous().view(B, T, C) # re-assemble all head outputs side by side
        return self.c_proj(y)
