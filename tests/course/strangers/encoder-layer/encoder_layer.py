# %% wrong_a024
#: The norms stand before the sub-layers (pre-norm) and not after the sums.
#: named: pre_norm
class EncoderLayer(nn.Module):
    """Self-attention, then feed forward, each with dropout, residual and layer norm."""

    def __init__(self, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.1):
        super().__init__()
        self.layer_norm_1 = nn.LayerNorm(d_model)
        self.self_attention = MultiHeadAttention(d_model, num_heads)
        self.layer_norm_2 = nn.LayerNorm(d_model)
        self.feature_transformation = PositionWiseFeedForward(d_model, d_ff)
        self.resid_dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        h = self.layer_norm_1(x)
        x = x + self.resid_dropout(self.self_attention(h, h, h, attention_mask))
        x = x + self.resid_dropout(self.feature_transformation(self.layer_norm_2(x)))
        return x


# %% wrong_a025
#: Both norms are one and the same layer, so gain and shift are shared and not independent.
#: named: one_shared_norm
class EncoderLayer(nn.Module):
    def __init__(self, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.1):
        super().__init__()
        self.self_attention = MultiHeadAttention(d_model, num_heads)
        self.feature_transformation = PositionWiseFeedForward(d_model, d_ff)
        norm = nn.LayerNorm(d_model)      # beide haben dieselbe Größe
        self.layer_norm_1 = self.layer_norm_2 = norm
        self.dropout = nn.Dropout(p=dropout)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        # erste Zeile der Abbildung
        z = self.layer_norm_1(x + self.dropout(self.self_attention(x, x, x, attention_mask)))
        # zweite Zeile der Abbildung
        return self.layer_norm_2(z + self.dropout(self.feature_transformation(z)))


# %% wrong_a026
#: Dropout acts on the sum, residual included, and not on the sub-layer's output alone.
#: named: dropout_on_the_sum
class EncoderLayer(nn.Module):
    """
    A single Transformer encoder layer.

    Args:
        d_model: dimensionality of the token representations.
        num_heads: number of attention heads.
        d_ff: dimensionality of the hidden feed-forward layer.
        dropout: dropout probability.
    """

    def __init__(self, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.1):
        super().__init__()
        # Sub-layers
        self.self_attention = MultiHeadAttention(d_model, num_heads)
        self.feature_transformation = PositionWiseFeedForward(d_model, d_ff)
        # Normalization and regularization
        self.layer_norm_1 = nn.LayerNorm(d_model)
        self.layer_norm_2 = nn.LayerNorm(d_model)
        self.dropout = nn.Dropout(dropout)

    def _residual(self, x: Tensor, sublayer_output: Tensor, norm: nn.LayerNorm) -> Tensor:
        """Apply residual connection, dropout and normalization."""
        return norm(self.dropout(x + sublayer_output))

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        # Step 1: multi-head self-attention
        z = self._residual(x, self.self_attention(x, x, x, attention_mask), self.layer_norm_1)
        # Step 2: position-wise feed-forward network
        return self._residual(z, self.feature_transformation(z), self.layer_norm_2)


# %% wrong_a027
#: F.dropout is called without training=self.training, so dropout stays on in eval().
#: named: dropout_never_rests
class EncoderLayer(nn.Module):
    def __init__(self, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.1):
        super().__init__()
        self.p = dropout
        self.self_attention = MultiHeadAttention(d_model, num_heads)
        self.feature_transformation = PositionWiseFeedForward(d_model, d_ff)
        self.layer_norm_1, self.layer_norm_2 = nn.LayerNorm(d_model), nn.LayerNorm(d_model)

    def forward(self, x, attention_mask=None):
        a = F.dropout(self.self_attention(x, x, x, attention_mask), self.p)
        z = self.layer_norm_1(x + a)
        f = F.dropout(self.feature_transformation(z), self.p)
        return self.layer_norm_2(z + f)


# %% wrong_a028
#: nn.Dropout() is built without the rate, so it always drops half, whatever was asked for.
#: named: dropout_rate_is_fixed
class EncoderLayer(nn.Module):
    """Strato dell'encoder."""

    def __init__(self, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.1):
        super().__init__()
        self.self_attention = MultiHeadAttention(d_model=d_model, num_heads=num_heads)
        self.abbandono_1 = nn.Dropout()
        self.layer_norm_1 = nn.LayerNorm(d_model)
        self.feature_transformation = PositionWiseFeedForward(d_model=d_model, d_ff=d_ff)
        self.abbandono_2 = nn.Dropout()
        self.layer_norm_2 = nn.LayerNorm(d_model)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        attenzione = self.abbandono_1(self.self_attention(x, x, x, attention_mask))
        z = self.layer_norm_1(x + attenzione)
        trasformato = self.abbandono_2(self.feature_transformation(z))
        return self.layer_norm_2(z + trasformato)


# %% wrong_a029
#: The norm is taken over positions and features together, so the other tokens of a sentence change
#: a token's scale.
#: named: norm_over_another_axis
class TokenNorm(nn.Module):
    """LayerNorm by hand, normalises everything but the batch."""

    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(d_model))
        self.bias = nn.Parameter(torch.zeros(d_model))
        self.eps = eps

    def forward(self, x):
        mean = x.mean(dim=(-2, -1), keepdim=True)
        var = x.var(dim=(-2, -1), keepdim=True, unbiased=False)
        return self.weight * (x - mean) / torch.sqrt(var + self.eps) + self.bias


class EncoderLayer(nn.Module):
    def __init__(self, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.1):
        super().__init__()
        self.self_attention = MultiHeadAttention(d_model, num_heads)
        self.layer_norm_1 = TokenNorm(d_model)
        self.feature_transformation = PositionWiseFeedForward(d_model, d_ff)
        self.layer_norm_2 = TokenNorm(d_model)
        self.drop = nn.Dropout(dropout)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        x = self.layer_norm_1(x + self.drop(self.self_attention(x, x, x, attention_mask)))
        x = self.layer_norm_2(x + self.drop(self.feature_transformation(x)))
        return x


# %% wrong_a030
#: Self-attention is built with mask_future=True as in GPT: an encoder's tokens should see later
#: ones, too.
#: named: always_causal
class EncoderLayer(nn.Module):
    """Self-attention, then feed forward, each with dropout, residual and layer norm."""

    def __init__(self, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.1):
        super().__init__()
        # causal, so that the model can not cheat by looking at the next words
        self.self_attention = MultiHeadAttention(d_model, num_heads, mask_future=True)
        self.feature_transformation = PositionWiseFeedForward(d_model, d_ff)
        self.layer_norm_1 = nn.LayerNorm(d_model)
        self.layer_norm_2 = nn.LayerNorm(d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        residual = x
        x = self.self_attention(x, x, x, attention_mask)
        x = self.dropout(x)
        x = self.layer_norm_1(residual + x)
        residual = x
        x = self.feature_transformation(x)
        x = self.dropout(x)
        x = self.layer_norm_2(residual + x)
        return x


# %% right_a031
class EncoderLayer(nn.Module):
    """Self-attention, then feed forward, each with dropout, residual and layer norm."""

    def __init__(self, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.1):
        nn.Module.__init__(self)
        self.rate = dropout
        for i in (2, 1):
            setattr(self, f"layer_norm_{i}", nn.LayerNorm(normalized_shape=d_model))
        self.feature_transformation = PositionWiseFeedForward(d_model, d_ff)
        self.self_attention = MultiHeadAttention(d_model, num_heads)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        drop = lambda t: F.dropout(t, p=self.rate, training=self.training)
        attended = self.self_attention(query=x, key=x, value=x, attention_mask=attention_mask)
        z = self.layer_norm_1(torch.add(x, drop(attended)))
        return self.layer_norm_2(torch.add(drop(self.feature_transformation(z)), z))


# %% right_a032
class EncoderLayer(nn.Module):
    def __init__(self, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.1):
        super().__init__()
        self.layer_norm_1 = nn.LayerNorm(d_model)
        self.layer_norm_2 = nn.LayerNorm(d_model)
        self.drops = nn.ModuleList(nn.Dropout(dropout) for _ in range(2))
        self.self_attention = MultiHeadAttention(d_model, num_heads)
        self.feature_transformation = PositionWiseFeedForward(d_model, d_ff)

    def sublayer(self, number, x, function):
        norm = (self.layer_norm_1, self.layer_norm_2)[number]
        return norm(x + self.drops[number](function(x)))

    def forward(self, x, attention_mask=None):
        x = self.sublayer(0, x, lambda t: self.self_attention(t, t, t, attention_mask))
        return self.sublayer(1, x, self.feature_transformation)


# %% wrong_b091
#: Both norms are one and the same object: gain and shift are shared, where two independent norms
#: are asked for.
#: named: one_shared_norm
class EncoderLayer(nn.Module):
    def __init__(self, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.1):
        super().__init__()
        self.self_attention = MultiHeadAttention(d_model, num_heads)
        self.feature_transformation = PositionWiseFeedForward(d_model, d_ff)
        self.layer_norm_1 = self.layer_norm_2 = nn.LayerNorm(d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        x = self.layer_norm_1(x + self.dropout(self.self_attention(x, x, x, attention_mask)))
        return self.layer_norm_2(x + self.dropout(self.feature_transformation(x)))


# %% wrong_b092
#: Only the first sub-layer has dropout; behind the feed forward layer it is missing.
#: named: dropout_on_one_sub_layer
class EncoderLayer(nn.Module):
    """Self-attention, then feed forward, each with dropout, residual and layer norm."""

    def __init__(self, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.1):
        super().__init__()
        self.self_attention = MultiHeadAttention(d_model, num_heads)
        self.attention_dropout = nn.Dropout(dropout)
        self.layer_norm_1 = nn.LayerNorm(d_model)
        self.feature_transformation = PositionWiseFeedForward(d_model, d_ff)
        self.layer_norm_2 = nn.LayerNorm(d_model)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        attended = self.self_attention(x, x, x, attention_mask)
        attended = self.attention_dropout(attended)
        z = self.layer_norm_1(x + attended)

        transformed = self.feature_transformation(z)
        output = self.layer_norm_2(z + transformed)
        return output


# %% wrong_b093
#: F.dropout is called without training=self.training: dropout acts in evaluation, too.
#: named: dropout_never_rests
class EncoderLayer(nn.Module):
    def __init__(self, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.1):
        super().__init__()
        self.p = dropout
        self.self_attention = MultiHeadAttention(d_model, num_heads)
        self.feature_transformation = PositionWiseFeedForward(d_model, d_ff)
        self.layer_norm_1, self.layer_norm_2 = nn.LayerNorm(d_model), nn.LayerNorm(d_model)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        s = self.self_attention(x, x, x, attention_mask)
        z = self.layer_norm_1(x + F.dropout(s, self.p))
        f = self.feature_transformation(z)
        return self.layer_norm_2(z + F.dropout(f, self.p))


# %% wrong_b094
#: The norm stands before each sub-layer (pre-norm), not after the sum as the equation has it.
#: named: pre_norm
class EncoderLayer(nn.Module):
    def __init__(self, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.1):
        super().__init__()
        self.self_attention = MultiHeadAttention(d_model, num_heads)
        self.feature_transformation = PositionWiseFeedForward(d_model, d_ff)
        self.layer_norm_1 = nn.LayerNorm(d_model)
        self.layer_norm_2 = nn.LayerNorm(d_model)
        self.dropout1 = nn.Dropout(dropout)
        self.dropout2 = nn.Dropout(dropout)

    def _attention_block(self, x: Tensor, attention_mask: Tensor | None) -> Tensor:
        x = self.layer_norm_1(x)
        return self.dropout1(self.self_attention(x, x, x, attention_mask))

    def _feed_forward_block(self, x: Tensor) -> Tensor:
        x = self.layer_norm_2(x)
        return self.dropout2(self.feature_transformation(x))

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        x = x + self._attention_block(x, attention_mask)
        x = x + self._feed_forward_block(x)
        return x


# %% right_b095
class EncoderLayer(nn.Module):
    def __init__(self, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.1):
        super().__init__()
        self.layer_norm_2 = nn.LayerNorm(d_model)
        self.layer_norm_1 = nn.LayerNorm(d_model)
        self.feature_transformation = PositionWiseFeedForward(d_model, d_ff)
        self.self_attention = MultiHeadAttention(d_model, num_heads)
        self.drops = nn.ModuleList([nn.Dropout(dropout) for _ in "ab"])

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        def attend(t):
            return self.self_attention(query=t, key=t, value=t, attention_mask=attention_mask)

        rows = zip((attend, self.feature_transformation), self.drops, (self.layer_norm_1, self.layer_norm_2))
        for sublayer, drop, norm in rows:
            x = norm(drop(sublayer(x)).add(x))
        return x
