# %% attention
from abc import ABC, abstractmethod


class HiddenKeyRule(ABC):
    """A rule that says which (query, key) pairs are hidden."""

    @abstractmethod
    def hidden(self, scores: Tensor) -> Tensor:
        ...


class PaddingRule(HiddenKeyRule):
    def __init__(self, attention_mask: Tensor) -> None:
        self.__attention_mask = attention_mask

    def hidden(self, scores: Tensor) -> Tensor:
        batch, key_len = self.__attention_mask.shape
        shape = [batch] + [1] * (scores.dim() - 2) + [key_len]
        return torch.eq(self.__attention_mask, 0).view(shape).expand_as(scores)


class FutureRule(HiddenKeyRule):
    def hidden(self, scores: Tensor) -> Tensor:
        return torch.ones_like(scores, dtype=torch.bool).triu(diagonal=1)


class Attention(nn.Module):
    """Scaled dot-product attention; with mask_future query i sees key j only if j <= i."""

    def __init__(self, mask_future: bool = False) -> None:
        super(Attention, self).__init__()
        self.__mask_future: bool = bool(mask_future)

    @property
    def mask_future(self) -> bool:
        return self.__mask_future

    def is_mask_future(self) -> bool:
        return self.__mask_future

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, attention_mask: Tensor | None = None
    ) -> Tensor:
        rules: list[HiddenKeyRule] = []
        if attention_mask is not None:
            rules.append(PaddingRule(attention_mask))
        if self.is_mask_future():
            rules.append(FutureRule())

        scores: Tensor = self.__compute_scores(query, key)
        hidden: Tensor = torch.zeros_like(scores, dtype=torch.bool)
        for rule in rules:
            hidden = torch.logical_or(hidden, rule.hidden(scores))
        scores = scores.masked_fill(hidden, torch.finfo(scores.dtype).min)
        return torch.matmul(nn.Softmax(dim=-1)(scores), value)

    @staticmethod
    def __compute_scores(query: Tensor, key: Tensor) -> Tensor:
        d_k: int = query.size(-1)
        return torch.matmul(query, key.mT).div(math.sqrt(d_k))


# %% encoder
class PositionTable(nn.Module):
    """The fixed table of positions."""

    BASE: float = 10000.0

    def __init__(self, max_len: int, d_model: int) -> None:
        super().__init__()
        rows: list[list[float]] = []
        for position in range(max_len):
            row: list[float] = []
            for i in range(d_model // 2):
                angle: float = position / math.pow(self.BASE, 2.0 * i / d_model)
                row.append(math.sin(angle))
                row.append(math.cos(angle))
            rows.append(row)
        self.register_buffer("_table", torch.tensor(rows))

    def get_max_len(self) -> int:
        return self._table.size(0)

    def get_positions(self, length: int) -> Tensor:
        if length > self.get_max_len():
            raise ValueError("sequence longer than max_len")
        return self._table.narrow(0, 0, length)


class Encoder(nn.Module):
    """Embedding times sqrt(d_model), plus positions, dropout, then num_layers encoder layers."""

    def __init__(
        self, vocab_size: int, d_model: int, num_heads: int, d_ff: int, num_layers: int,
        dropout: float = 0.1, max_len: int = 512,
    ) -> None:
        super(Encoder, self).__init__()
        self._scale: float = math.sqrt(d_model)
        self.embedding = nn.Embedding(num_embeddings=vocab_size, embedding_dim=d_model)
        self._positions = PositionTable(max_len, d_model)
        self._dropout = nn.Dropout(dropout)
        self.layers = nn.ModuleList(
            [self.__create_layer(d_model, num_heads, d_ff, dropout) for _ in range(num_layers)]
        )

    @staticmethod
    def __create_layer(d_model: int, num_heads: int, d_ff: int, dropout: float) -> EncoderLayer:
        return EncoderLayer(d_model=d_model, num_heads=num_heads, d_ff=d_ff, dropout=dropout)

    def forward(self, tokens: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        hidden: Tensor = self.embedding(tokens).mul(self._scale)
        hidden = hidden.add(self._positions.get_positions(tokens.size(1)))
        hidden = self._dropout(hidden)
        for layer in self.layers:
            hidden = layer(hidden, attention_mask=attention_mask)
        return hidden


# %% encoder_layer
class SubLayerDropout(nn.Module):
    """A dropout that refuses a senseless rate."""

    def __init__(self, rate: float) -> None:
        super().__init__()
        if not 0.0 <= rate < 1.0:
            raise ValueError("dropout must lie in [0, 1), not " + str(rate))
        self._delegate = nn.Dropout(rate)

    def forward(self, x: Tensor) -> Tensor:
        return self._delegate(x)


class EncoderLayer(nn.Module):
    """Self-attention, then feed forward, each with dropout, residual and layer norm."""

    def __init__(self, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.1) -> None:
        super(EncoderLayer, self).__init__()
        self.self_attention = MultiHeadAttention(d_model=d_model, num_heads=num_heads)
        self.feature_transformation = PositionWiseFeedForward(d_model=d_model, d_ff=d_ff)
        self.layer_norm_1 = nn.LayerNorm(normalized_shape=[d_model])
        self.layer_norm_2 = nn.LayerNorm(normalized_shape=[d_model])
        self._dropout = SubLayerDropout(dropout)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        z: Tensor = self.__attention_step(x, attention_mask)
        return self.__feed_forward_step(z)

    def __attention_step(self, x: Tensor, attention_mask: Tensor | None) -> Tensor:
        attended: Tensor = self.self_attention(
            query=x, key=x, value=x, attention_mask=attention_mask
        )
        return self.layer_norm_1(torch.add(x, self._dropout(attended)))

    def __feed_forward_step(self, z: Tensor) -> Tensor:
        transformed: Tensor = self.feature_transformation(z)
        return self.layer_norm_2(torch.add(z, self._dropout(transformed)))


# %% feed_forward
class PositionWiseFeedForward(nn.Sequential):
    """The same two-layer network at every position."""

    def __init__(self, d_model: int, d_ff: int) -> None:
        super(PositionWiseFeedForward, self).__init__()
        self._d_model: int = d_model
        self._d_ff: int = d_ff
        self.linear1: nn.Linear = nn.Linear(in_features=d_model, out_features=d_ff, bias=True)
        self.relu: nn.ReLU = nn.ReLU(inplace=False)
        self.linear2: nn.Linear = nn.Linear(in_features=d_ff, out_features=d_model, bias=True)

    def get_d_model(self) -> int:
        return self._d_model

    def get_d_ff(self) -> int:
        return self._d_ff


# %% multi_head_attention
class IllegalArgumentException(ValueError):
    pass


class HeadProjections(nn.Module):
    """One nn.Linear for each head."""

    def __init__(self, d_model: int, num_heads: int) -> None:
        super().__init__()
        self._projections = nn.ModuleList()
        for _ in range(num_heads):
            self._projections.append(nn.Linear(d_model, d_model // num_heads, bias=False))

    def project(self, head: int, x: Tensor) -> Tensor:
        return self._projections[head](x)


class MultiHeadAttention(nn.Module):
    """Attention in num_heads heads of d_k = d_model / num_heads features each."""

    def __init__(self, d_model: int, num_heads: int, mask_future: bool = False) -> None:
        super(MultiHeadAttention, self).__init__()
        self.__check(d_model, num_heads)
        self._d_model: int = d_model
        self._num_heads: int = num_heads
        self._query_projections = HeadProjections(d_model, num_heads)
        self._key_projections = HeadProjections(d_model, num_heads)
        self._value_projections = HeadProjections(d_model, num_heads)
        self._output_projection = nn.Linear(d_model, d_model, bias=False)
        self.attention: Attention = Attention(mask_future)

    @staticmethod
    def __check(d_model: int, num_heads: int) -> None:
        if num_heads <= 0 or d_model % num_heads != 0:
            raise IllegalArgumentException(
                "d_model (" + str(d_model) + ") is no multiple of num_heads (" + str(num_heads) + ")"
            )

    def get_num_heads(self) -> int:
        return self._num_heads

    def get_d_k(self) -> int:
        return self._d_model // self._num_heads

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, attention_mask: Tensor | None = None
    ) -> Tensor:
        heads: list[Tensor] = []
        for index in range(self.get_num_heads()):
            q: Tensor = self._query_projections.project(index, query)
            k: Tensor = self._key_projections.project(index, key)
            v: Tensor = self._value_projections.project(index, value)
            heads.append(self.attention.forward(q, k, v, attention_mask))
        return self._output_projection(torch.cat(heads, dim=-1))
