import torch
from torch import Tensor, nn
from torch.nn import functional as F

def create_padding_mask(attention_mask, rank):
    # TensorFlow tutorial convention: 1 = must NOT be looked at
    mask = 1.0 - attention_mask.float()
    while mask.dim() < rank:
        mask = mask.unsqueeze(1)
    return mask


def create_look_ahead_mask(size_q, size_k):
    return 1.0 - torch.tril(torch.ones(size_q, size_k))


class Attention(nn.Module):
    """Scaled dot-product attention; with mask_future query i sees key j only if j <= i."""

    def __init__(self, mask_future: bool = False):
        super().__init__()
        self.mask_future = mask_future

    def call(self, q, k, v, mask):
        matmul_qk = torch.matmul(q, torch.transpose(k, -2, -1))
        dk = torch.tensor(k.shape[-1], dtype=matmul_qk.dtype)
        scaled_attention_logits = matmul_qk / torch.sqrt(dk)
        if mask is not None:
            scaled_attention_logits = scaled_attention_logits + mask.to(matmul_qk.dtype) * -1e9
        attention_weights = F.softmax(scaled_attention_logits, dim=-1)
        return torch.matmul(attention_weights, v)

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, attention_mask: Tensor | None = None
    ) -> Tensor:
        mask = None
        if attention_mask is not None:
            mask = create_padding_mask(attention_mask, query.dim())
        if self.mask_future:
            look_ahead = create_look_ahead_mask(query.shape[-2], key.shape[-2])
            mask = look_ahead if mask is None else torch.maximum(mask, look_ahead)
        return self.call(query, key, value, mask)
