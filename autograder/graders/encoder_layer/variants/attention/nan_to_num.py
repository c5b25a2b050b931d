import torch
from torch import nn


class Attention(nn.Module):
    def __init__(self, mask_future=False):
        super().__init__()
        self.mask_future = mask_future

    def forward(self, query, key, value, attention_mask=None):
        scale = torch.sqrt(torch.tensor(query.size(-1), dtype=torch.float))
        scores = torch.matmul(query, key.transpose(-2, -1)) / scale
        if attention_mask is not None:
            if scores.dim() == 4:
                mask = attention_mask.unsqueeze(1).unsqueeze(2)
            else:
                mask = attention_mask.unsqueeze(1)
            scores = scores.masked_fill(mask == 0, float("-inf"))
        if self.mask_future:
            n, m = scores.shape[-2], scores.shape[-1]
            scores = scores.masked_fill(torch.tril(torch.ones(n, m)) == 0, float("-inf"))
        attention_weights = torch.softmax(scores, dim=-1)
        attention_weights = torch.nan_to_num(attention_weights, nan=0.0)
        return torch.matmul(attention_weights, value)
