import torch
from torch import nn


class Attention(nn.Module):
    """Query by query with `slow_attention`; hidden keys are left out."""

    def __init__(self, mask_future=False):
        super().__init__()
        self.mask_future = mask_future

    def one(self, query, key, value, allowed):
        rows = []
        for i in range(len(query)):
            seen = allowed.clone()
            if self.mask_future:
                seen[i + 1 :] = False
            rows.append(slow_attention(query[i], key[seen], value[seen]))
        return torch.stack(rows)

    def forward(self, query, key, value, attention_mask=None):
        if attention_mask is None:
            attention_mask = torch.ones(query.size(0), key.size(-2))
        outputs = []
        for q, k, v, mask in zip(query, key, value, attention_mask == 1):
            if q.dim() == 2:
                outputs.append(self.one(q, k, v, mask))
            else:
                outputs.append(torch.stack([self.one(*head, mask) for head in zip(q, k, v)]))
        return torch.stack(outputs)
