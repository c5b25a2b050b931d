import torch
from torch import Tensor, nn

class Attention(nn.Module):
    def __init__(self, mask_future: bool = False):
        super().__init__()
        self.mask_future = mask_future

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, attention_mask: Tensor | None = None
    ) -> Tensor:
        s = torch.einsum("...qd,...kd->...qk", query, key) / query.size(-1) ** 0.5
        # log 1 = 0 leaves a score alone, log 0 = -inf removes it
        if attention_mask is not None:
            m = attention_mask.bool().to(s.dtype).log()
            s = s + m.reshape(m.size(0), *[1] * (s.dim() - 2), m.size(1))
        if self.mask_future:
            s = s + s.new_ones(s.shape[-2:]).tril().log()
        return torch.einsum("...qk,...kd->...qd", s.softmax(-1), value)
