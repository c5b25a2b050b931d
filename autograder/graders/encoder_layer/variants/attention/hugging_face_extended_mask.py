import math
import torch
from torch import Tensor, nn

def get_extended_attention_mask(attention_mask: Tensor, num_dims: int, dtype: torch.dtype) -> Tensor:
    """0 where a key may be attended, the smallest number of the dtype where it may not."""
    extended_attention_mask = attention_mask[(slice(None),) + (None,) * (num_dims - 2)]
    extended_attention_mask = extended_attention_mask.to(dtype)
    return (1.0 - extended_attention_mask) * torch.finfo(dtype).min


class Attention(nn.Module):
    """Scaled dot-product attention; with mask_future query i sees key j only if j <= i."""

    def __init__(self, mask_future: bool = False):
        super().__init__()
        self.mask_future = mask_future

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, attention_mask: Tensor | None = None
    ) -> Tensor:
        attention_scores = torch.matmul(query, key.transpose(-1, -2))
        attention_scores = attention_scores / math.sqrt(query.shape[-1])

        if attention_mask is not None:
            attention_scores = attention_scores + get_extended_attention_mask(
                attention_mask, attention_scores.dim(), attention_scores.dtype
            )
        if self.mask_future:
            seq_ids_q = torch.arange(query.shape[-2], device=query.device)
            seq_ids_k = torch.arange(key.shape[-2], device=query.device)
            causal_mask = seq_ids_k[None, :] <= seq_ids_q[:, None]
            attention_scores = torch.where(
                causal_mask, attention_scores, torch.finfo(attention_scores.dtype).min
            )

        attention_probs = nn.functional.softmax(attention_scores, dim=-1)
        context_layer = torch.matmul(attention_probs, value)
        return context_layer
