import torch
import torch.nn as nn


class Attention(nn.Module):
    def __init__(self, mask_future=False):
        super().__init__()
        self.causal = mask_future

    def forward(self, Q, K, V, mask=None):
        scores = torch.einsum("b...qd,b...kd->b...qk", Q, K) / Q.shape[-1] ** 0.5
        if mask is not None:
            while mask.dim() < scores.dim():
                mask = mask.unsqueeze(1)
            scores = scores.masked_fill(mask == 0, -1e9)
        if self.causal:
            q_len, k_len = scores.shape[-2:]
            future = torch.triu(torch.ones(q_len, k_len), diagonal=1).bool()
            scores = scores.masked_fill(future, -1e9)
        weights = torch.softmax(scores, dim=-1)
        return torch.einsum("b...qk,b...kd->b...qd", weights, V)
