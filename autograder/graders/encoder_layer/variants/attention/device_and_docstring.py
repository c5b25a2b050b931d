from typing import Optional

import torch
import torch.nn as nn
import torch.nn.functional as F

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
torch.manual_seed(42)


class Attention(nn.Module):
    r"""Scaled dot product attention.

    Args:
        mask_future (bool): if set, position i attends to positions 0..i only.
    """

    NEG_INF: float = float("-inf")

    def __init__(self, mask_future: bool = False) -> None:
        super(Attention, self).__init__()
        self.mask_future = mask_future

    @staticmethod
    def _future(n: int, m: int) -> torch.Tensor:
        return torch.ones((n, m), dtype=torch.bool, device=device).triu(diagonal=1)

    def forward(
        self,
        query: torch.Tensor,
        key: torch.Tensor,
        value: torch.Tensor,
        attention_mask: Optional[torch.Tensor] = None,
    ) -> torch.Tensor:
        d_k = torch.tensor(key.shape[-1], device=device)
        scores = (query / d_k.sqrt()) @ key.transpose(-1, -2)
        if attention_mask is not None:
            mask = attention_mask.to(device).logical_not()
            mask = mask[:, None] if scores.ndim == 3 else mask[:, None, None]
            scores.masked_fill_(mask, self.NEG_INF)
        if self.mask_future:
            scores.masked_fill_(self._future(*scores.shape[-2:]), self.NEG_INF)
        return F.softmax(scores, dim=-1).matmul(value)
