import torch
import torch.nn as nn


class Attention(nn.Module):
    """Its constants are float32, so its inputs have to be, too."""

    def __init__(self, mask_future=False):
        super().__init__()
        self.mask_future = mask_future

    def forward(self, query, key, value, attention_mask=None):
        q_len, k_len = query.size(-2), key.size(-2)
        bias = torch.zeros(q_len, k_len, dtype=torch.float32)
        if self.mask_future:
            bias = bias + torch.full((q_len, k_len), -1e9, dtype=torch.float32).triu(1)
        if attention_mask is not None:
            pad = (attention_mask.to(torch.float32) - 1) * 1e9
            bias = bias + pad.reshape(-1, *[1] * (query.dim() - 2), k_len)
        scores = query @ key.transpose(-2, -1) / torch.sqrt(torch.FloatTensor([query.size(-1)]))
        weights = torch.softmax(scores + bias, dim=-1, dtype=torch.float32)
        return torch.matmul(weights, value)
