import math
import torch
from torch import Tensor, nn

class Attention(nn.Module):
    def __init__(self, mask_future: bool = False):
        super().__init__()
        self.mask_future = mask_future

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, attention_mask: Tensor | None = None
    ) -> Tensor:
        n_q = query.shape[-2]
        n_k = key.shape[-2]
        inv = 1.0 / math.sqrt(query.shape[-1])

        hide = None
        if attention_mask is not None:
            shape = [1] * (query.dim() - 1)
            shape[0] = attention_mask.shape[0]
            shape[-1] = n_k
            hide = (attention_mask == 0).reshape(shape)

        rows = [None] * n_q
        for i in range(n_q):
            # query i reads the keys [0, end)
            end = n_k
            if self.mask_future and i + 1 < n_k:
                end = i + 1
            s = (query[..., i : i + 1, :] * key[..., 0:end, :]).sum(-1) * inv
            if hide is not None:
                s = s.masked_fill(hide[..., 0:end], float("-inf"))
            e = torch.exp(s - s.max(-1, keepdim=True).values)
            w = e / e.sum(-1, keepdim=True)
            rows[i] = (w.unsqueeze(-1) * value[..., 0:end, :]).sum(-2)
        return torch.stack(rows, dim=-2)
