import math
import torch
from torch import Tensor, nn
from torch.nn import functional as F

def visible(q: Tensor, k: Tensor, attention_mask: Tensor | None, causal: bool) -> Tensor:
    """1 where the query may see the key, 0 elsewhere, in the type of q."""
    seen = q.new_ones(q.size(-2), k.size(-2))
    if causal:
        seen = torch.tril(seen)
    if attention_mask is not None:
        between = (None,) * (q.dim() - 2)
        seen = seen * attention_mask.to(q)[(slice(None), *between)]
    return seen


def masked_softmax(scores: Tensor, seen: Tensor) -> Tensor:
    """Softmax over everything, hidden keys multiplied by zero, the rest brought back to sum one."""
    # a hidden score above all visible ones could push these to 0 / 0
    top = torch.where(seen > 0, scores, -math.inf).amax(-1, keepdim=True).detach()
    weights = F.softmax(scores.clamp(max=top), dim=-1) * seen
    total = weights.sum(-1, keepdim=True)
    return weights / total


class Attention(nn.Module):
    def __init__(self, mask_future: bool = False):
        super().__init__()
        self.mask_future = mask_future

    def forward(self, query, key, value, attention_mask=None):
        scores = torch.einsum("...qd,...kd->...qk", query, key) * query.size(-1) ** -0.5
        seen = visible(query, key, attention_mask, self.mask_future)
        return masked_softmax(scores, seen) @ value
