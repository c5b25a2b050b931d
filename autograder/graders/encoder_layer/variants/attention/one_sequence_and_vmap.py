import torch
from torch import Tensor, nn

def softmax(logits: Tensor, axis: int) -> Tensor:
    """jax.nn.softmax"""
    return torch.exp(logits - torch.logsumexp(logits, dim=axis, keepdim=True))


def attend(q: Tensor, k: Tensor, v: Tensor, allowed: Tensor) -> Tensor:
    """One sequence, one head: q (Q, D), k (K, D), v (K, V), allowed (Q, K) -> (Q, V)."""
    logits = torch.einsum("qd,kd->qk", q, k) * q.shape[-1] ** -0.5
    logits = torch.where(allowed, logits, -torch.inf)
    return torch.einsum("qk,kv->qv", softmax(logits, axis=-1), v)


def make_allowed(lead, q_len, k_len, attention_mask, mask_future, device):
    allowed = torch.ones(*lead, q_len, k_len, dtype=torch.bool, device=device)
    if attention_mask is not None:
        ones = (1,) * (len(lead) - 1)
        allowed = allowed & attention_mask.bool().reshape(lead[0], *ones, 1, k_len)
    if mask_future:
        rows = torch.arange(q_len, device=device)[:, None]
        cols = torch.arange(k_len, device=device)[None, :]
        allowed = allowed & (rows >= cols)
    return allowed


class Attention(nn.Module):
    """Scaled dot-product attention; with mask_future query i sees key j only if j <= i."""

    def __init__(self, mask_future: bool = False):
        super().__init__()
        self.mask_future = mask_future

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, attention_mask: Tensor | None = None
    ) -> Tensor:
        lead = tuple(query.shape[:-2])
        allowed = make_allowed(
            lead, query.shape[-2], key.shape[-2], attention_mask, self.mask_future, query.device
        )
        f = attend
        for _ in lead:  # one vmap for each leading axis
            f = torch.vmap(f)
        return f(query, key, value, allowed)
