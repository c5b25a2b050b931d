import torch
from torch import nn
from torch.nn.functional import scaled_dot_product_attention


class Attention(nn.Module):
    def __init__(self, mask_future=False):
        super().__init__()
        self.mask_future = mask_future

    def forward(self, query, key, value, attention_mask=None):
        allowed = torch.ones(query.size(-2), key.size(-2), dtype=torch.bool)
        if self.mask_future:
            allowed = allowed.tril()
        if attention_mask is not None:
            middle = (1,) * (query.dim() - 2)
            allowed = allowed & attention_mask.bool().view(-1, *middle, key.size(-2))
        return scaled_dot_product_attention(query, key, value, attn_mask=allowed)
