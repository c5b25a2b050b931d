import math
import torch
from torch import Tensor, nn

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
