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
