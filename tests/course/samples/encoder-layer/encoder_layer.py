# %% wrong_no_dropout_own_parts
#: Nothing is dropped; both sub-layers are the notebook's.
#: named: no_dropout
class EncoderLayer(nn.Module):
    def __init__(self, d_model, num_heads, d_ff, dropout=0.1):
        super().__init__()
        self.self_attention = MultiHeadAttention(d_model, num_heads)
        self.feed_forward = PositionWiseFeedForward(d_model, d_ff)
        self.layer_norm_1 = nn.LayerNorm(d_model)
        self.layer_norm_2 = nn.LayerNorm(d_model)
    def forward(self, x, attention_mask=None):
        x = self.layer_norm_1(x + self.self_attention(x, x, x, attention_mask))
        return self.layer_norm_2(x + self.feed_forward(x))


# %% wrong_no_dropout_sequential
#: Nothing is dropped; the feed forward layer is a Sequential of the student's own.
#: named: no_dropout
class EncoderLayer(nn.Module):
    def __init__(self, d_model, num_heads, d_ff, dropout=0.1):
        super().__init__()
        self.self_attention = MultiHeadAttention(d_model, num_heads)
        self.feed_forward = nn.Sequential(nn.Linear(d_model, d_ff), nn.ReLU(), nn.Linear(d_ff, d_model))
        self.layer_norm_1 = nn.LayerNorm(d_model)
        self.layer_norm_2 = nn.LayerNorm(d_model)
    def forward(self, x, attention_mask=None):
        x = self.layer_norm_1(x + self.self_attention(x, x, x, attention_mask))
        return self.layer_norm_2(x + self.feed_forward(x))


# %% right_a001
class EncoderLayer(nn.Module):
    """Self-attention, then feed forward, each with dropout, residual and layer norm."""

    def __init__(self, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.1):
        super().__init__()
        for number in (2, 1):
            setattr(self, f"layer_norm_{number}", nn.LayerNorm(d_model))
        self.feature_transformation = PositionWiseFeedForward(d_model, d_ff)
        self.drops = nn.ModuleList([nn.Dropout(dropout) for _ in range(2)])
        self.self_attention = MultiHeadAttention(d_model, num_heads)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        rounds = [
            (lambda v: self.self_attention(v, v, v, attention_mask), self.layer_norm_1),
            (self.feature_transformation, self.layer_norm_2),
        ]
        for drop, (step, norm) in zip(self.drops, rounds):
            x = norm(x + drop(step(x)))
        return x


# %% right_a002
class Levelled(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.rows = nn.ParameterDict()
        self.rows["b"] = nn.Parameter(torch.zeros(size))
        self.rows["a"] = nn.Parameter(torch.ones(size))

    def forward(self, x):
        return F.layer_norm(x, x.shape[-1:], self.rows["a"], self.rows["b"])


class Joined(nn.Module):
    def __init__(self, size, rate):
        super().__init__()
        self.rate = rate
        self.layer_norm_2, self.layer_norm_1 = Levelled(size), Levelled(size)

    def joined(self, x, made, norm):
        return norm(F.dropout(made, self.rate, self.training) + x)


class EncoderLayer(Joined):
    """Self-attention, then feed forward, each with dropout, residual and layer norm."""

    def __init__(self, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.1):
        super().__init__(d_model, dropout)
        self.feature_transformation = PositionWiseFeedForward(d_model, d_ff)
        self.self_attention = MultiHeadAttention(d_model, num_heads)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        z = self.joined(x, self.self_attention(x, x, x, attention_mask), self.layer_norm_1)
        return self.joined(z, self.feature_transformation(z), self.layer_norm_2)


# %% wrong_b011
#: No dropout anywhere; attention is nn.MultiheadAttention, feed forward an inline Sequential.
#: named: no_dropout
class EncoderLayer(nn.Module):
    """Self-attention, then feed forward, each with dropout, residual and layer norm."""

    def __init__(self, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.1):
        super().__init__()
        self.self_attention = nn.MultiheadAttention(d_model, num_heads, bias=False, batch_first=True)
        self.feature_transformation = nn.Sequential(
            nn.Linear(d_model, d_ff), nn.ReLU(), nn.Linear(d_ff, d_model))
        self.layer_norm_1 = nn.LayerNorm(d_model)
        self.layer_norm_2 = nn.LayerNorm(d_model)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        padding = None if attention_mask is None else ~attention_mask.bool()
        attended, _ = self.self_attention(x, x, x, key_padding_mask=padding, need_weights=False)
        z = self.layer_norm_1(x + attended)
        return self.layer_norm_2(z + self.feature_transformation(z))


# %% wrong_b012
#: Dropout acts on the sum, not on the output of the sub-layer; members in another order.
#: named: dropout_on_the_sum
class EncoderLayer(nn.Module):
    """Self-attention, then feed forward, each with dropout, residual and layer norm."""

    def __init__(self, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.1):
        super().__init__()
        self.layer_norm_2 = nn.LayerNorm(d_model)
        self.dropout = nn.Dropout(dropout)
        self.feature_transformation = PositionWiseFeedForward(d_model, d_ff)
        self.layer_norm_1 = nn.LayerNorm(d_model)
        self.self_attention = MultiHeadAttention(d_model, num_heads)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        z = self.layer_norm_1(self.dropout(x + self.self_attention(x, x, x, attention_mask)))
        return self.layer_norm_2(self.dropout(z + self.feature_transformation(z)))


# %% wrong_b013
#: Both norms are one and the same module; feed forward inline.
#: named: one_shared_norm
class EncoderLayer(nn.Module):
    """Self-attention, then feed forward, each with dropout, residual and layer norm."""

    def __init__(self, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.1):
        super().__init__()
        self.feature_transformation = nn.Sequential(
            nn.Linear(d_model, d_ff), nn.ReLU(), nn.Linear(d_ff, d_model))
        self.self_attention = MultiHeadAttention(d_model, num_heads)
        self.layer_norm_1 = self.layer_norm_2 = nn.LayerNorm(d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        z = self.layer_norm_1(x + self.dropout(self.self_attention(x, x, x, attention_mask)))
        return self.layer_norm_2(z + self.dropout(self.feature_transformation(z)))


# %% wrong_b014
#: Pre-norm in place of post-norm; attention and feed forward inline.
#: named: pre_norm
class EncoderLayer(nn.Module):
    """Self-attention, then feed forward, each with dropout, residual and layer norm."""

    def __init__(self, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.1):
        super().__init__()
        self.num_heads = num_heads
        self.self_attention = nn.ModuleDict({
            name: nn.Linear(d_model, d_model, bias=False) for name in ("query", "key", "value", "output")})
        self.feature_transformation = nn.Sequential(
            nn.Linear(d_model, d_ff), nn.ReLU(), nn.Linear(d_ff, d_model))
        self.layer_norm_1 = nn.LayerNorm(d_model)
        self.layer_norm_2 = nn.LayerNorm(d_model)
        self.dropout = nn.Dropout(dropout)

    def attend(self, x, attention_mask):
        heads = [self.self_attention[name](x).unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
                 for name in ("query", "key", "value")]
        mask = None if attention_mask is None else attention_mask.bool()[:, None, None]
        attended = F.scaled_dot_product_attention(*heads, mask)
        return self.self_attention["output"](attended.transpose(1, 2).flatten(-2))

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        z = x + self.dropout(self.attend(self.layer_norm_1(x), attention_mask))
        return z + self.dropout(self.feature_transformation(self.layer_norm_2(z)))


# %% wrong_b015
#: GELU in place of ReLU in an inline feed forward layer; members in another order.
#: named: -
class EncoderLayer(nn.Module):
    """Self-attention, then feed forward, each with dropout, residual and layer norm."""

    def __init__(self, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.1):
        super().__init__()
        self.layer_norm_1 = nn.LayerNorm(d_model)
        self.layer_norm_2 = nn.LayerNorm(d_model)
        self.feature_transformation = nn.Sequential(
            nn.Linear(d_model, d_ff), nn.GELU(), nn.Linear(d_ff, d_model))
        self.self_attention = MultiHeadAttention(d_model, num_heads)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        z = self.layer_norm_1(x + self.dropout(self.self_attention(x, x, x, attention_mask)))
        return self.layer_norm_2(z + self.dropout(self.feature_transformation(z)))


# %% wrong_b016
#: The mask is not handed to the attention; members in another order.
#: named: mask_forgotten
class EncoderLayer(nn.Module):
    """Self-attention, then feed forward, each with dropout, residual and layer norm."""

    def __init__(self, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.1):
        super().__init__()
        self.drop_2 = nn.Dropout(dropout)
        self.drop_1 = nn.Dropout(dropout)
        self.layer_norm_2 = nn.LayerNorm(d_model)
        self.feature_transformation = PositionWiseFeedForward(d_model, d_ff)
        self.self_attention = MultiHeadAttention(d_model, num_heads)
        self.layer_norm_1 = nn.LayerNorm(d_model)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        attended = self.self_attention(query=x, key=x, value=x)
        z = self.layer_norm_1(x + self.drop_1(attended))
        return self.layer_norm_2(z + self.drop_2(self.feature_transformation(z)))
