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
