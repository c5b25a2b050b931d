# %% attention
class Attention(nn.Module):
    def __init__(self, mask_future: bool = False):
        super().__init__()
        self.mask_future = mask_future

    def buffered_future_mask(self, tgt_len, src_len, device):
        if (
            not hasattr(self, "_future_mask")
            or self._future_mask.device != device
            or self._future_mask.size(0) < tgt_len
            or self._future_mask.size(1) < src_len
        ):
            self._future_mask = torch.triu(
                torch.ones(tgt_len, src_len, dtype=torch.bool, device=device), 1
            )
        return self._future_mask[:tgt_len, :src_len]

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, attention_mask: Tensor | None = None
    ) -> Tensor:
        lead = query.shape[:-2]
        tgt_len, head_dim = query.shape[-2:]
        src_len = key.shape[-2]
        scaling = head_dim ** -0.5

        q = query.contiguous().view(-1, tgt_len, head_dim) * scaling
        k = key.contiguous().view(-1, src_len, head_dim)
        v = value.contiguous().view(-1, src_len, value.size(-1))

        attn_weights = torch.bmm(q, k.transpose(1, 2))
        if self.mask_future:
            future_mask = self.buffered_future_mask(tgt_len, src_len, attn_weights.device)
            attn_weights.masked_fill_(future_mask.unsqueeze(0), float("-inf"))
        if attention_mask is not None:
            key_padding_mask = ~attention_mask.to(torch.bool)
            bsz = key_padding_mask.size(0)
            attn_weights = attn_weights.view(bsz, -1, tgt_len, src_len)
            attn_weights.masked_fill_(key_padding_mask[:, None, None, :], float("-inf"))
            attn_weights = attn_weights.view(-1, tgt_len, src_len)

        attn_probs = F.softmax(attn_weights, dim=-1)
        attn = torch.bmm(attn_probs, v)
        return attn.view(*lead, tgt_len, v.size(-1))


# %% encoder
class SinusoidalPositionalEmbedding(nn.Module):
    def __init__(self, embedding_dim, init_size):
        super().__init__()
        self.register_buffer(
            "weights", self.get_embedding(init_size, embedding_dim), persistent=False
        )

    @staticmethod
    def get_embedding(num_embeddings, embedding_dim):
        half_dim = embedding_dim // 2
        emb = math.log(10000) / half_dim
        emb = torch.exp(torch.arange(half_dim, dtype=torch.float) * -emb)
        emb = torch.arange(num_embeddings, dtype=torch.float).unsqueeze(1) * emb.unsqueeze(0)
        return torch.stack([torch.sin(emb), torch.cos(emb)], dim=2).view(num_embeddings, -1)

    def forward(self, input):
        bsz, seq_len = input.size()
        positions = torch.arange(seq_len, device=input.device).expand(bsz, seq_len)
        return self.weights.index_select(0, positions.reshape(-1)).view(bsz, seq_len, -1).detach()


class Encoder(nn.Module):
    def __init__(
        self, vocab_size: int, d_model: int, num_heads: int, d_ff: int, num_layers: int,
        dropout: float = 0.1, max_len: int = 512,
    ):
        super().__init__()
        self.embed_scale = math.sqrt(d_model)
        self.embedding = nn.Embedding(vocab_size, d_model)
        nn.init.normal_(self.embedding.weight, mean=0, std=d_model ** -0.5)
        self.embed_positions = SinusoidalPositionalEmbedding(d_model, init_size=max_len)
        self.dropout_p = dropout
        self.layers = nn.ModuleList([])
        self.layers.extend(
            [self.build_encoder_layer(d_model, num_heads, d_ff) for i in range(num_layers)]
        )

    def build_encoder_layer(self, embed_dim, num_heads, ffn_dim):
        return EncoderLayer(embed_dim, num_heads, ffn_dim, dropout=self.dropout_p)

    def forward(self, tokens: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        x = self.embedding(tokens)
        x.mul_(self.embed_scale).add_(self.embed_positions(tokens))
        x = F.dropout(x, p=self.dropout_p, training=self.training)
        for layer in self.layers:
            x = layer(x, attention_mask=attention_mask)
        return x


# %% encoder_layer
class FairseqDropout(nn.Module):
    def __init__(self, p, module_name=None):
        super().__init__()
        self.p = p
        self.module_name = module_name

    def forward(self, x):
        if self.p > 0 and self.training:
            return F.dropout(x, p=self.p, training=True)
        return x


class EncoderLayer(nn.Module):
    def __init__(self, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.1):
        super().__init__()
        self.embed_dim = d_model
        self.self_attention = MultiHeadAttention(self.embed_dim, num_heads)
        self.dropout_module = FairseqDropout(dropout, module_name=self.__class__.__name__)
        self.layer_norm_1 = nn.LayerNorm(self.embed_dim)
        self.feature_transformation = PositionWiseFeedForward(self.embed_dim, d_ff)
        self.layer_norm_2 = nn.LayerNorm(self.embed_dim)

    def residual_connection(self, x, residual):
        x += residual
        return x

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        residual = x
        x = self.self_attention(query=x, key=x, value=x, attention_mask=attention_mask)
        x = self.dropout_module(x)
        x = self.residual_connection(x, residual)
        x = self.layer_norm_1(x)

        residual = x
        x = self.feature_transformation(x)
        x = self.dropout_module(x)
        x = self.residual_connection(x, residual)
        x = self.layer_norm_2(x)
        return x


# %% feed_forward
def build_fc(input_dim, output_dim):
    fc = nn.Linear(input_dim, output_dim)
    nn.init.xavier_uniform_(fc.weight)
    nn.init.constant_(fc.bias, 0.0)
    return fc


class PositionWiseFeedForward(nn.Sequential):
    def __init__(self, d_model: int, d_ff: int):
        super().__init__()
        self.linear1 = build_fc(d_model, d_ff)
        self.relu = nn.ReLU(inplace=True)
        self.linear2 = build_fc(d_ff, d_model)


# %% multi_head_attention
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model: int, num_heads: int, mask_future: bool = False):
        super().__init__()
        self.embed_dim = d_model
        self.num_heads = num_heads
        self.head_dim = d_model // num_heads
        if self.head_dim * num_heads != self.embed_dim:
            raise ValueError("embed_dim must be divisible by num_heads")
        self.k_proj = nn.Linear(d_model, d_model, bias=False)
        self.v_proj = nn.Linear(d_model, d_model, bias=False)
        self.q_proj = nn.Linear(d_model, d_model, bias=False)
        self.out_proj = nn.Linear(d_model, d_model, bias=False)
        self.attention = Attention(mask_future)
        self.reset_parameters()

    def reset_parameters(self):
        for proj in (self.k_proj, self.v_proj, self.q_proj):
            nn.init.xavier_uniform_(proj.weight, gain=1 / math.sqrt(2))
        nn.init.xavier_uniform_(self.out_proj.weight)

    def _shape(self, x, bsz):
        # T x B x C -> (B * H) x T x D
        return x.contiguous().view(-1, bsz * self.num_heads, self.head_dim).transpose(0, 1)

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, attention_mask: Tensor | None = None
    ) -> Tensor:
        # B x T x C -> T x B x C
        query, key, value = query.transpose(0, 1), key.transpose(0, 1), value.transpose(0, 1)
        tgt_len, bsz, embed_dim = query.size()

        q = self._shape(self.q_proj(query), bsz)
        k = self._shape(self.k_proj(key), bsz)
        v = self._shape(self.v_proj(value), bsz)

        if attention_mask is not None:  # heads sit in the batch: one row of the mask for each
            attention_mask = attention_mask.repeat_interleave(self.num_heads, dim=0)
        attn = self.attention(q, k, v, attention_mask)

        attn = attn.transpose(0, 1).contiguous().view(tgt_len, bsz, embed_dim)
        return self.out_proj(attn).transpose(0, 1)
