# %% attention
# Which words may a position look at? The helper below answers for the future.
def subsequent_mask(rows, cols):
    "Mask out subsequent positions: a (1, rows, cols) tensor, True where looking is fine."
    future = torch.triu(torch.ones(1, rows, cols), diagonal=1)
    return future == 0


class Attention(nn.Module):
    "Compute 'Scaled Dot Product Attention'"

    def __init__(self, mask_future: bool = False):
        super().__init__()
        self.mask_future = mask_future

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, attention_mask: Tensor | None = None
    ) -> Tensor:
        d_k = query.size(-1)
        # 1) How well does each query fit each key?
        scores = torch.matmul(query, key.transpose(-2, -1)) / math.sqrt(d_k)
        # 2) Forget everything in the future ...
        if self.mask_future:
            mask = subsequent_mask(query.size(-2), key.size(-2)).to(scores.device)
            mask = mask.squeeze(0)
            scores = scores.masked_fill(mask == 0, -1e9)
        # 3) ... and everything which is only padding.
        if attention_mask is not None:
            mask = attention_mask
            while mask.dim() < scores.dim():
                mask = mask.unsqueeze(1)
            scores = scores.masked_fill(mask == 0, -1e9)
        # 4) Turn the scores into weights and mix the values.
        p_attn = scores.softmax(dim=-1)
        return torch.matmul(p_attn, value)


# %% encoder
class PositionalEncoding(nn.Module):
    "Implement the PE function."

    def __init__(self, d_model, dropout, max_len):
        super().__init__()
        self.dropout = nn.Dropout(p=dropout)

        # Compute the positional encodings once in log space.
        pe = torch.zeros(max_len, d_model)
        position = torch.arange(0, max_len).unsqueeze(1)
        div_term = torch.exp(torch.arange(0, d_model, 2) * -(math.log(10000.0) / d_model))
        pe[:, 0::2] = torch.sin(position * div_term)
        pe[:, 1::2] = torch.cos(position * div_term)
        self.register_buffer("pe", pe.unsqueeze(0))

    def forward(self, x):
        return self.dropout(x + self.pe[:, : x.size(1)])


class Encoder(nn.Module):
    "Core encoder is a stack of N layers"

    def __init__(
        self, vocab_size: int, d_model: int, num_heads: int, d_ff: int, num_layers: int,
        dropout: float = 0.1, max_len: int = 512,
    ):
        super().__init__()
        self.d_model = d_model
        self.embedding = nn.Embedding(vocab_size, d_model)
        self.position = PositionalEncoding(d_model, dropout, max_len)
        self.layers = nn.ModuleList(
            [EncoderLayer(d_model, num_heads, d_ff, dropout) for _ in range(num_layers)]
        )
        # Glorot helped in all of our runs.
        for p in self.layers.parameters():
            if p.dim() > 1:
                nn.init.xavier_uniform_(p)

    def forward(self, tokens: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        "Pass the input (and mask) through each layer in turn."
        x = self.embedding(tokens) * math.sqrt(self.d_model)
        x = self.position(x)
        for layer in self.layers:
            x = layer(x, attention_mask)
        return x


# %% encoder_layer
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


# %% feed_forward
# Every token walks alone through the same little network: widen, bend, narrow.
# Since we inherit from nn.Sequential, a dict of the parts is all it takes.
from collections import OrderedDict


class PositionWiseFeedForward(nn.Sequential):
    "Implements the FFN equation of section 3.3."

    def __init__(self, d_model: int, d_ff: int):
        super().__init__(
            OrderedDict(
                [
                    ("linear1", nn.Linear(d_model, d_ff)),
                    ("relu", nn.ReLU()),
                    ("linear2", nn.Linear(d_ff, d_model)),
                ]
            )
        )


# %% multi_head_attention
import copy


def clones(module, N):
    "Produce N identical (but separate) modules."
    return nn.ModuleList([copy.deepcopy(module) for _ in range(N)])


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model: int, num_heads: int, mask_future: bool = False):
        "Take in model size and number of heads."
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError("d_model must be a multiple of num_heads")
        # We assume d_v always equals d_k
        self.d_k = d_model // num_heads
        self.h = num_heads
        self.linears = clones(nn.Linear(d_model, d_model, bias=False), 4)
        for lin in self.linears:
            nn.init.xavier_uniform_(lin.weight)
        self.attention = Attention(mask_future)

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, attention_mask: Tensor | None = None
    ) -> Tensor:
        nbatches = query.size(0)

        # 1) Do all the linear projections in batch from d_model => h x d_k
        query, key, value = [
            lin(x).view(nbatches, -1, self.h, self.d_k).transpose(1, 2)
            for lin, x in zip(self.linears, (query, key, value))
        ]

        # 2) Apply attention on all the projected vectors in batch.
        x = self.attention(query, key, value, attention_mask)

        # 3) "Concat" using a view and apply a final linear.
        x = x.transpose(1, 2).contiguous().view(nbatches, -1, self.h * self.d_k)
        return self.linears[-1](x)
