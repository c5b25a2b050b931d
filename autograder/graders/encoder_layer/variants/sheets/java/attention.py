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
