# %% attention
from abc import ABC, abstractmethod


class VisibilityRule(ABC):
    """Says which keys a query may see; broadcasts to the scores."""

    @abstractmethod
    def allowed(self, scores: Tensor) -> Tensor: ...

    def apply(self, scores: Tensor) -> Tensor:
        return scores.masked_fill(self.allowed(scores).logical_not(), float("-inf"))


class NoFuture(VisibilityRule):
    def allowed(self, scores: Tensor) -> Tensor:
        return torch.ones(scores.shape[-2:], dtype=torch.bool, device=scores.device).tril()


class NoPadding(VisibilityRule):
    def __init__(self, attention_mask: Tensor):
        self.attention_mask = attention_mask

    def allowed(self, scores: Tensor) -> Tensor:
        middle = [1] * (scores.dim() - 2)
        batch, key_len = self.attention_mask.shape
        return self.attention_mask.bool().reshape(batch, *middle, key_len)


class Scorer(ABC):
    @abstractmethod
    def __call__(self, query: Tensor, key: Tensor) -> Tensor: ...


class ScaledDotProduct(Scorer):
    def __call__(self, query: Tensor, key: Tensor) -> Tensor:
        return torch.matmul(query, key.transpose(-1, -2)).div(math.sqrt(key.shape[-1]))


class Attention(nn.Module):
    def __init__(self, mask_future: bool = False):
        super().__init__()
        self.mask_future = mask_future
        self._scorer: Scorer = ScaledDotProduct()

    def _rules(self, attention_mask: Tensor | None) -> list[VisibilityRule]:
        rules: list[VisibilityRule] = []
        if self.mask_future:
            rules.append(NoFuture())
        if attention_mask is not None:
            rules.append(NoPadding(attention_mask))
        return rules

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, attention_mask: Tensor | None = None
    ) -> Tensor:
        scores = self._scorer(query, key)
        for rule in self._rules(attention_mask):
            scores = rule.apply(scores)
        return torch.matmul(scores.softmax(dim=-1), value)


# %% encoder
from abc import ABC, abstractmethod


class PositionProvider(nn.Module, ABC):
    @abstractmethod
    def forward(self, length: int, device) -> Tensor: ...


class SinusoidalPositions(PositionProvider):
    """Computed when asked, kept for the longest sequence so far."""

    BASE = 10000.0

    def __init__(self, d_model: int, max_len: int):
        super().__init__()
        self.d_model, self.max_len = d_model, max_len
        self._cache = torch.zeros(0, d_model)

    def _build(self, length: int) -> Tensor:
        table = torch.zeros(length, self.d_model)
        for column in range(self.d_model):
            wave = (torch.sin, torch.cos)[column % 2]
            rate = self.BASE ** (-(column // 2 * 2) / self.d_model)
            table[:, column] = wave(torch.arange(length) * rate)
        return table

    def forward(self, length: int, device) -> Tensor:
        if length > self.max_len:
            raise ValueError(f"{length} positions asked, {self.max_len} are the limit")
        if length > len(self._cache):
            self._cache = self._build(length)
        return self._cache[:length].to(device)


class EncoderLayerFactory:
    def __init__(self, **settings):
        self.settings = settings

    def build_stack(self, depth: int) -> nn.ModuleList:
        return nn.ModuleList(EncoderLayer(**self.settings) for _ in range(depth))


class Encoder(nn.Module):
    def __init__(
        self, vocab_size: int, d_model: int, num_heads: int, d_ff: int, num_layers: int,
        dropout: float = 0.1, max_len: int = 512,
    ):
        super().__init__()
        self.scale = math.sqrt(d_model)
        self.embedding = nn.Embedding(num_embeddings=vocab_size, embedding_dim=d_model)
        self.positions: PositionProvider = SinusoidalPositions(d_model, max_len)
        self.regulariser = nn.Dropout(dropout)
        factory = EncoderLayerFactory(d_model=d_model, num_heads=num_heads, d_ff=d_ff, dropout=dropout)
        self.layers = factory.build_stack(num_layers)

    def _embed(self, tokens: Tensor) -> Tensor:
        positions = self.positions(tokens.shape[1], tokens.device)
        return self.regulariser(self.embedding(tokens) * self.scale + positions)

    def forward(self, tokens: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        state = self._embed(tokens)
        for layer in self.layers:
            state = layer(state, attention_mask=attention_mask)
        return state


# %% encoder_layer
NORMS = Registry("norm")


@NORMS.register("layer")
def make_layer_norm(d_model: int) -> nn.Module:
    return nn.LayerNorm(d_model)


class Regulariser(nn.Module):
    """Dropout which refuses a senseless rate."""

    def __init__(self, rate: float):
        super().__init__()
        if not 0 <= rate < 1:
            raise ValueError(f"dropout must be in [0, 1), got {rate}")
        self.rate = rate
        self.impl = nn.Dropout(rate) if rate else nn.Identity()

    def forward(self, x: Tensor) -> Tensor:
        return self.impl(x)


class PostNormResidual(nn.Module):
    """norm(x + regulariser(y)); the norm belongs to the layer and is handed in at each call."""

    def __init__(self, rate: float):
        super().__init__()
        self.regulariser = Regulariser(rate)

    def forward(self, x: Tensor, y: Tensor, norm: nn.Module) -> Tensor:
        return norm(x + self.regulariser(y))


class EncoderLayer(nn.Module):
    def __init__(self, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.1):
        super().__init__()
        self.self_attention = MultiHeadAttention(d_model=d_model, num_heads=num_heads)
        self.feature_transformation = PositionWiseFeedForward(d_model=d_model, d_ff=d_ff)
        self.layer_norm_1 = NORMS.create("layer", d_model)
        self.layer_norm_2 = NORMS.create("layer", d_model)
        self.joins = nn.ModuleDict({key: PostNormResidual(dropout) for key in ("attend", "transform")})

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        attended = self.self_attention(query=x, key=x, value=x, attention_mask=attention_mask)
        z = self.joins["attend"](x, attended, self.layer_norm_1)
        return self.joins["transform"](z, self.feature_transformation(z), self.layer_norm_2)


# %% feed_forward
from typing import Callable, Generic, TypeVar

T = TypeVar("T")


class Registry(Generic[T]):
    """Named factories, filled by decorator; every later cell uses it."""

    def __init__(self, kind: str):
        self.kind = kind
        self._factories: dict[str, Callable[..., T]] = {}

    def register(self, name: str):
        def decorate(factory):
            self._factories[name] = factory
            return factory

        return decorate

    def create(self, name: str, *args, **kwargs) -> T:
        if name not in self._factories:
            raise KeyError(f"no {self.kind} called {name!r}, known: {sorted(self._factories)}")
        return self._factories[name](*args, **kwargs)


ACTIVATIONS: Registry[nn.Module] = Registry("activation")
ACTIVATIONS.register("relu")(nn.ReLU)
ACTIVATIONS.register("gelu")(nn.GELU)


class PositionWiseFeedForward(nn.Sequential):
    ACTIVATION = "relu"

    def __init__(self, d_model: int, d_ff: int):
        super().__init__()
        for name, factory in self.blueprint(d_model, d_ff):
            self.add_module(name, factory())

    @classmethod
    def blueprint(cls, d_model: int, d_ff: int):
        yield "linear1", lambda: nn.Linear(d_model, d_ff)
        yield "relu", lambda: ACTIVATIONS.create(cls.ACTIVATION)
        yield "linear2", lambda: nn.Linear(d_ff, d_model)


# %% multi_head_attention
from enum import Enum


class ConfigurationError(ValueError):
    """Sizes which do not fit together."""


class Role(str, Enum):
    QUERY = "query"
    KEY = "key"
    VALUE = "value"
    OUTPUT = "output"


class HeadLayout:
    """Knows how features are dealt out to heads, and how they come back."""

    def __init__(self, d_model: int, num_heads: int):
        if d_model % num_heads != 0:
            raise ConfigurationError(f"d_model={d_model} is no multiple of num_heads={num_heads}")
        self.num_heads = num_heads
        self.d_k = d_model // num_heads

    def split(self, features: Tensor) -> Tensor:
        return features.unflatten(-1, (self.num_heads, self.d_k)).movedim(-2, 1)

    def merge(self, heads: Tensor) -> Tensor:
        return heads.movedim(1, -2).flatten(start_dim=-2)


TRANSFORMS = Registry("transform")


@TRANSFORMS.register("bias_free")
def bias_free_transform(d_model: int) -> nn.Linear:
    return nn.Linear(d_model, d_model, bias=False)


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model: int, num_heads: int, mask_future: bool = False):
        super().__init__()
        self.layout = HeadLayout(d_model, num_heads)
        self.transforms = nn.ModuleDict(
            {role.value: TRANSFORMS.create("bias_free", d_model) for role in Role}
        )
        self.attention = Attention(mask_future=mask_future)

    def _project(self, role: Role, x: Tensor) -> Tensor:
        return self.layout.split(self.transforms[role.value](x))

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, attention_mask: Tensor | None = None
    ) -> Tensor:
        heads = self.attention(
            query=self._project(Role.QUERY, query),
            key=self._project(Role.KEY, key),
            value=self._project(Role.VALUE, value),
            attention_mask=attention_mask,
        )
        return self.transforms[Role.OUTPUT.value](self.layout.merge(heads))
