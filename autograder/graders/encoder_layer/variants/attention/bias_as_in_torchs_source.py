import math
import torch
from torch import Tensor, nn

class Attention(nn.Module):
    r"""Computes scaled dot product attention with an additive bias.

    Args:
        mask_future: If set, query ``i`` attends to the keys ``j <= i`` alone (upper left causal
            bias for non-square scores). Default: ``False``
    """

    __constants__ = ["mask_future"]
    mask_future: bool

    def __init__(self, mask_future: bool = False) -> None:
        super().__init__()
        self.mask_future = mask_future

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, attention_mask: Tensor | None = None
    ) -> Tensor:
        L, S = query.size(-2), key.size(-2)
        scale_factor = 1 / math.sqrt(query.size(-1))
        attn_bias = torch.zeros(L, S, dtype=query.dtype, device=query.device)
        if self.mask_future:
            temp_mask = torch.ones(L, S, dtype=torch.bool, device=query.device).tril(diagonal=0)
            attn_bias.masked_fill_(temp_mask.logical_not(), float("-inf"))
        if attention_mask is not None:
            key_padding_mask = attention_mask.to(torch.bool).logical_not()
            padding_bias = torch.zeros_like(key_padding_mask, dtype=query.dtype)
            padding_bias = padding_bias.masked_fill_(key_padding_mask, float("-inf"))
            bsz = attention_mask.size(0)
            attn_bias = attn_bias + padding_bias.view(bsz, *((1,) * (query.dim() - 2)), S)

        attn_weight = query @ key.transpose(-2, -1) * scale_factor
        attn_weight = attn_weight + attn_bias
        attn_weight = torch.softmax(attn_weight, dim=-1)
        return attn_weight @ value

    def extra_repr(self) -> str:
        return f"mask_future={self.mask_future}"
