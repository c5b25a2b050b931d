import math
import torch
from torch import Tensor, nn

from jaxtyping import Bool, Float, Int


class Attention(nn.Module):
    mask_future: bool

    def __init__(self, mask_future: bool = False) -> None:
        super().__init__()
        self.mask_future = mask_future

    def forward(
        self,
        query: Float[Tensor, "*lead query_len d_k"],
        key: Float[Tensor, "*lead key_len d_k"],
        value: Float[Tensor, "*lead key_len d_v"],
        attention_mask: Bool[Tensor, "batch key_len"] | Int[Tensor, "batch key_len"] | None = None,
    ) -> Float[Tensor, "*lead query_len d_v"]:
        *lead, query_len, d_k = query.shape
        key_len: int = key.shape[-2]
        d_v: int = value.shape[-1]
        assert key.shape == (*lead, key_len, d_k), (query.shape, key.shape)
        assert value.shape == (*lead, key_len, d_v), (key.shape, value.shape)

        allowed: Bool[Tensor, "#... query_len key_len"]
        allowed = torch.ones((query_len, key_len), dtype=torch.bool, device=query.device)
        if self.mask_future:
            allowed = torch.tril(allowed)
        if attention_mask is not None:
            assert attention_mask.shape == (lead[0], key_len), attention_mask.shape
            assert not attention_mask.is_floating_point(), attention_mask.dtype
            shape = (lead[0], *(1 for _ in lead[1:]), 1, key_len)
            allowed = allowed & (attention_mask != 0).reshape(shape)

        scores: Float[Tensor, "*lead query_len key_len"]
        scores = torch.matmul(query, key.transpose(-2, -1)) / math.sqrt(d_k)
        assert scores.shape == (*lead, query_len, key_len)
        bias = torch.zeros_like(allowed, dtype=scores.dtype).masked_fill(~allowed, -torch.inf)
        weights = torch.softmax(scores + bias, dim=-1)

        output: Float[Tensor, "*lead query_len d_v"] = torch.matmul(weights, value)
        assert output.shape == (*lead, query_len, d_v)
        return output
