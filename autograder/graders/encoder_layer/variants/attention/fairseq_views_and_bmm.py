import torch
from torch import Tensor, nn
from torch.nn import functional as F

class Attention(nn.Module):
    def __init__(self, mask_future: bool = False):
        super().__init__()
        self.mask_future = mask_future

    def buffered_future_mask(self, tgt_len, src_len, device):
        if (
            not hasattr(self, "_future_mask")
            or self._future_mask.device != device
            or self._future_mask.size(0) < tgt_len
            or self._future_mask.size(1) < src_len
        ):
            self._future_mask = torch.triu(
                torch.ones(tgt_len, src_len, dtype=torch.bool, device=device), 1
            )
        return self._future_mask[:tgt_len, :src_len]

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, attention_mask: Tensor | None = None
    ) -> Tensor:
        lead = query.shape[:-2]
        tgt_len, head_dim = query.shape[-2:]
        src_len = key.shape[-2]
        scaling = head_dim ** -0.5

        q = query.contiguous().view(-1, tgt_len, head_dim) * scaling
        k = key.contiguous().view(-1, src_len, head_dim)
        v = value.contiguous().view(-1, src_len, value.size(-1))

        attn_weights = torch.bmm(q, k.transpose(1, 2))
        if self.mask_future:
            future_mask = self.buffered_future_mask(tgt_len, src_len, attn_weights.device)
            attn_weights.masked_fill_(future_mask.unsqueeze(0), float("-inf"))
        if attention_mask is not None:
            key_padding_mask = ~attention_mask.to(torch.bool)
            bsz = key_padding_mask.size(0)
            attn_weights = attn_weights.view(bsz, -1, tgt_len, src_len)
            attn_weights.masked_fill_(key_padding_mask[:, None, None, :], float("-inf"))
            attn_weights = attn_weights.view(-1, tgt_len, src_len)

        attn_probs = F.softmax(attn_weights, dim=-1)
        attn = torch.bmm(attn_probs, v)
        return attn.view(*lead, tgt_len, v.size(-1))
