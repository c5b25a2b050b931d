# %% additive_mask
import math

import torch
from torch import Tensor, nn


def to_bias(mask: Tensor) -> Tensor:
    """0 where allowed, a very negative number elsewhere."""
    return (1.0 - mask.float()) * -1e9


class Attention(nn.Module):
    def __init__(self, mask_future: bool = False):
        super().__init__()
        self.mask_future = mask_future

    def forward(self, query, key, value, attention_mask=None):
        scores = torch.matmul(query, key.transpose(-1, -2)) * (1 / math.sqrt(key.shape[-1]))
        if attention_mask is not None:
            bias = to_bias(attention_mask)
            scores = scores + (bias[:, None, :] if scores.ndim == 3 else bias[:, None, None, :])
        if self.mask_future:
            scores = scores + to_bias(torch.tril(torch.ones(scores.shape[-2:])))
        return torch.matmul(nn.functional.softmax(scores, dim=-1), value)


# %% baddbmm_on_flattened_heads
import torch
from torch import Tensor, nn


class Attention(nn.Module):
    """All leading dimensions are folded into one, and unfolded at the end."""

    def __init__(self, mask_future: bool = False):
        super().__init__()
        self.mask_future = mask_future

    def forward(self, query: Tensor, key: Tensor, value: Tensor, attention_mask: Tensor | None = None):
        lead = query.shape[:-2]
        q, k, v = (x.reshape(-1, *x.shape[-2:]) for x in (query, key, value))
        hidden = torch.zeros(len(q), q.size(1), k.size(1), dtype=torch.bool)
        if attention_mask is not None:
            repeats = len(q) // attention_mask.size(0)
            hidden |= (attention_mask == 0).repeat_interleave(repeats, dim=0).unsqueeze(1)
        if self.mask_future:
            hidden |= torch.ones_like(hidden).triu(1)
        bias = torch.zeros(hidden.shape, dtype=q.dtype).masked_fill_(hidden, float("-inf"))
        scores = torch.baddbmm(bias, q, k.transpose(1, 2), alpha=q.size(-1) ** -0.5)
        return torch.bmm(torch.softmax(scores, -1), v).reshape(*lead, *query.shape[-2:-1], -1)


# %% device_and_docstring
from typing import Optional

import torch
import torch.nn as nn
import torch.nn.functional as F

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
torch.manual_seed(42)


class Attention(nn.Module):
    r"""Scaled dot product attention.

    Args:
        mask_future (bool): if set, position i attends to positions 0..i only.
    """

    NEG_INF: float = float("-inf")

    def __init__(self, mask_future: bool = False) -> None:
        super(Attention, self).__init__()
        self.mask_future = mask_future

    @staticmethod
    def _future(n: int, m: int) -> torch.Tensor:
        return torch.ones((n, m), dtype=torch.bool, device=device).triu(diagonal=1)

    def forward(
        self,
        query: torch.Tensor,
        key: torch.Tensor,
        value: torch.Tensor,
        attention_mask: Optional[torch.Tensor] = None,
    ) -> torch.Tensor:
        d_k = torch.tensor(key.shape[-1], device=device)
        scores = (query / d_k.sqrt()) @ key.transpose(-1, -2)
        if attention_mask is not None:
            mask = attention_mask.to(device).logical_not()
            mask = mask[:, None] if scores.ndim == 3 else mask[:, None, None]
            scores.masked_fill_(mask, self.NEG_INF)
        if self.mask_future:
            scores.masked_fill_(self._future(*scores.shape[-2:]), self.NEG_INF)
        return F.softmax(scores, dim=-1).matmul(value)


# %% einops_and_jaxtyping
from einops import einsum, repeat
from jaxtyping import Float, jaxtyped

class Attention(nn.Module):
    def __init__(self, mask_future: bool = False):
        super().__init__()
        self.mask_future = mask_future

    @jaxtyped(typechecker=None)
    def forward(
        self,
        query: Float[Tensor, "... query_len d_k"],
        key: Float[Tensor, "... key_len d_k"],
        value: Float[Tensor, "... key_len d_v"],
        attention_mask: Tensor | None = None,
    ) -> Float[Tensor, "... query_len d_v"]:
        scores = einsum(query, key, "... q d, ... k d -> ... q k") * key.shape[-1] ** -0.5
        lowest = torch.finfo(scores.dtype).min
        if self.mask_future:
            queries = torch.arange(query.shape[-2])[:, None]
            scores = torch.where(torch.arange(key.shape[-2]) <= queries, scores, lowest)
        if attention_mask is not None:
            seen = attention_mask > 0
            while seen.dim() < scores.dim():
                seen = seen.unsqueeze(1)
            scores = torch.where(seen, scores, lowest)
        return einsum(torch.softmax(scores, dim=-1), value, "... q k, ... k v -> ... q v")


# %% einsum_and_minus_1e9
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


# %% exponentials_times_mask
import torch
from torch import nn


class Attention(nn.Module):
    """Masked keys are taken out after the exponential, then the rest is normalised."""

    def __init__(self, mask_future=False):
        super().__init__()
        self.mask_future = mask_future

    def forward(self, query, key, value, attention_mask=None):
        scores = query @ key.transpose(-2, -1) / query.shape[-1] ** 0.5
        visible = torch.ones_like(scores)
        if attention_mask is not None:
            for _ in range(scores.dim() - 2):
                attention_mask = attention_mask.unsqueeze(1)
            visible = visible * attention_mask
        if self.mask_future:
            visible = visible.tril()
        weights = (scores - scores.amax(-1, keepdim=True)).exp() * visible
        return (weights / weights.sum(-1, keepdim=True)) @ value


# %% float32_only
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


# %% future_buffer_and_dropout
import math

import torch
import torch.nn as nn
from torch.nn import functional as F


class Attention(nn.Module):
    def __init__(self, mask_future=False, dropout=0.0, block_size=1024):
        super().__init__()
        self.attn_dropout = nn.Dropout(dropout)
        self.mask_future = mask_future
        self.register_buffer("tril", torch.tril(torch.ones(block_size, block_size)))

    def forward(self, query, key, value, attention_mask=None):
        T, S = query.size(-2), key.size(-2)
        att = (query @ key.transpose(-2, -1)) * (1.0 / math.sqrt(key.size(-1)))
        if self.mask_future:
            att = att.masked_fill(self.tril[:T, :S] == 0, float("-inf"))
        if attention_mask is not None:
            pad = attention_mask.reshape(attention_mask.size(0), *[1] * (att.dim() - 2), S)
            att = att.masked_fill(pad == 0, float("-inf"))
        att = self.attn_dropout(F.softmax(att, dim=-1))
        return att @ value


# %% in_place_and_log_mask
import torch
from torch import nn


class Attention(nn.Module):
    """log(1) = 0 and log(0) = -inf: the logarithm of a mask can be added to the scores."""

    def __init__(self, mask_future=False):
        super().__init__()
        self.mask_future = mask_future

    def forward(self, query, key, value, attention_mask=None):
        scores = torch.matmul(query, key.swapaxes(-1, -2))
        scores /= query.size(-1) ** 0.5
        if attention_mask is not None:
            index = (slice(None),) + (None,) * (scores.ndim - 2)
            scores += attention_mask.to(scores.dtype).log()[index]
        if self.mask_future:
            scores += torch.ones_like(scores).tril_().log_()
        return scores.softmax(-1).matmul(value)


# %% mask_expanded_to_scores
import numpy as np
import torch
import torch.nn as nn


def subsequent_mask(rows, columns):
    """1 on and below the diagonal."""
    return torch.from_numpy(1 - np.triu(np.ones((rows, columns)), k=1).astype("uint8"))


class Attention(nn.Module):
    def __init__(self, mask_future: bool = False):
        super().__init__()
        self.mask_future = mask_future
        self.softmax = nn.Softmax(dim=-1)
        self.weights = None  # of the last call, for pictures

    def forward(self, query, key, value, attention_mask=None):
        scores = query @ key.transpose(-2, -1) / np.sqrt(query.size(-1))
        mask = torch.ones(scores.shape, dtype=torch.bool)
        if attention_mask is not None:
            padding = attention_mask.bool()[:, None, :]
            if scores.dim() == 4:
                padding = padding[:, None].repeat(1, scores.size(1), scores.size(2), 1)
            mask = mask & padding
        if self.mask_future:
            mask = mask & subsequent_mask(scores.size(-2), scores.size(-1)).bool()
        self.weights = self.softmax(scores.masked_fill(~mask, float("-inf")))
        return self.weights @ value


# %% nan_to_num
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


# %% scaled_dot_product_attention
import torch
from torch import nn
from torch.nn.functional import scaled_dot_product_attention


class Attention(nn.Module):
    def __init__(self, mask_future=False):
        super().__init__()
        self.mask_future = mask_future

    def forward(self, query, key, value, attention_mask=None):
        allowed = torch.ones(query.size(-2), key.size(-2), dtype=torch.bool)
        if self.mask_future:
            allowed = allowed.tril()
        if attention_mask is not None:
            middle = (1,) * (query.dim() - 2)
            allowed = allowed & attention_mask.bool().view(-1, *middle, key.size(-2))
        return scaled_dot_product_attention(query, key, value, attn_mask=allowed)


# %% sdpa_is_causal
import torch.nn.functional as F
from torch import nn


class Attention(nn.Module):
    def __init__(self, mask_future=False):
        super().__init__()
        self.mask_future = mask_future

    def forward(self, query, key, value, attention_mask=None):
        if attention_mask is None:
            return F.scaled_dot_product_attention(query, key, value, is_causal=self.mask_future)
        mask = attention_mask.bool().unsqueeze(-2)
        if query.dim() == 4:
            mask = mask.unsqueeze(1)
        mask = mask.expand(*query.shape[:-1], key.shape[-2])
        if self.mask_future:
            mask = mask.tril()
        return F.scaled_dot_product_attention(query, key, value, attn_mask=mask)


# %% softmax_by_hand
import torch
import torch.nn as nn


def my_softmax(x, dim):
    e = torch.exp(x - x.max(dim=dim, keepdim=True).values)
    return e / e.sum(dim=dim, keepdim=True)


class Attention(nn.Module):
    def __init__(self, mask_future: bool = False):
        super().__init__()
        self.mask_future = mask_future

    def forward(self, query, key, value, attention_mask=None):
        d_k = query.size(-1)
        s = query.matmul(key.mT).div(d_k**0.5)
        lowest = torch.finfo(s.dtype).min
        if attention_mask is not None:
            shape = [s.size(0)] + [1] * (s.dim() - 2) + [s.size(-1)]
            s = torch.where(attention_mask.reshape(shape) > 0, s, lowest)
        if self.mask_future:
            i = torch.arange(s.size(-2))[:, None]
            j = torch.arange(s.size(-1))[None, :]
            s = torch.where(j <= i, s, lowest)
        return my_softmax(s, dim=-1) @ value


# %% softmax_in_float32
import math

import torch
import torch.nn.functional as F
from torch import nn


class Attention(nn.Module):
    def __init__(self, mask_future=False):
        super().__init__()
        self.mask_future = mask_future

    def forward(self, query, key, value, attention_mask=None):
        scores = (query @ key.transpose(-2, -1)).float() / math.sqrt(query.size(-1))
        if attention_mask is not None:
            mask = attention_mask.view(-1, *[1] * (scores.dim() - 2), key.size(-2))
            scores = scores.masked_fill(~mask.bool(), float("-inf"))
        if self.mask_future:
            causal = torch.ones(query.size(-2), key.size(-2)).triu(1) == 1
            scores = scores.masked_fill(causal, float("-inf"))
        weights = F.softmax(scores, dim=-1, dtype=torch.float32).type_as(value)
        return weights @ value
