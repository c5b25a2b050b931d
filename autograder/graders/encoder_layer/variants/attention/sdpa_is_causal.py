import torch.nn.functional as F
from torch import nn


class Attention(nn.Module):
    def __init__(self, mask_future=False):
        super().__init__()
        self.mask_future = mask_future

    def forward(self, query, key, value, attention_mask=None):
        if attention_mask is None:
            return F.scaled_dot_product_attention(query, key, value, is_causal=self.mask_future)
        mask = attention_mask.bool().unsqueeze(-2)
        if query.dim() == 4:
            mask = mask.unsqueeze(1)
        mask = mask.expand(*query.shape[:-1], key.shape[-2])
        if self.mask_future:
            mask = mask.tril()
        return F.scaled_dot_product_attention(query, key, value, attn_mask=mask)
