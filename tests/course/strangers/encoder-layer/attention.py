# %% wrong_a005
#: Hidden scores are filled with 1e-9, a tiny number, where a very negative one is needed: hidden
#: keys keep a good part of the weight.
#: named: future_weak_fill masked_score_is_zero
class Attention(nn.Module):
    """Scaled dot-product attention; with mask_future query i sees key j only if j <= i."""

    def __init__(self, mask_future: bool = False):
        super().__init__()
        self.mask_future = mask_future

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, attention_mask: Tensor | None = None
    ) -> Tensor:
        att = (query @ key.transpose(-2, -1)) * (1.0 / math.sqrt(query.size(-1)))
        T, S = att.shape[-2:]
        if self.mask_future:
            bias = torch.tril(torch.ones(T, S, device=att.device))
            att = att.masked_fill(bias == 0, 1e-9)
        if attention_mask is not None:
            m = attention_mask.view(attention_mask.size(0), *[1] * (att.dim() - 2), S)
            att = att.masked_fill(m == 0, 1e-9)
        att = F.softmax(att, dim=-1)
        y = att @ value
        return y


# %% wrong_a006
#: The mask is multiplied onto the weights behind the softmax and nothing is normalised again, so
#: the remaining weights no longer add up to one.
#: named: mask_behind_the_softmax
class Attention(nn.Module):
    def __init__(self, mask_future: bool = False):
        super().__init__()
        self.mask_future = mask_future

    def forward(self, query, key, value, attention_mask=None):
        dimension = query.shape[-1]
        puntajes = torch.einsum('...qd,...kd->...qk', query, key) / dimension ** 0.5
        pesos = puntajes.softmax(dim=-1)
        n_q, n_k = pesos.shape[-2], pesos.shape[-1]
        if self.mask_future:
            pesos = pesos * torch.tril(pesos.new_ones(n_q, n_k))
        if attention_mask is not None:
            permitido = attention_mask.to(pesos.dtype)
            # (batch, key_len) -> (batch, 1, ..., 1, key_len)
            while permitido.dim() < pesos.dim():
                permitido = permitido.unsqueeze(1)
            pesos = pesos * permitido
        return torch.einsum('...qk,...kv->...qv', pesos, value)


# %% wrong_a007
#: With different lengths the future mask is aligned at the end (last query sees last key), not j
#: <= i counted from the beginning.
#: named: future_from_the_end
class Attention(nn.Module):
    """Scaled dot-product attention; with mask_future query i sees key j only if j <= i."""

    def __init__(self, mask_future: bool = False):
        super().__init__()
        self.mask_future = mask_future

    def forward(self, query: Tensor, key: Tensor, value: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        q_len, k_len = query.shape[-2], key.shape[-2]
        allowed = torch.ones(q_len, k_len, dtype=torch.bool, device=query.device)
        if self.mask_future:
            # the queries are the newest tokens, so shift the diagonal when there are more keys
            allowed = allowed.tril(diagonal=k_len - q_len)
        if attention_mask is not None:
            pad = attention_mask.bool()
            pad = pad[(slice(None),) + (None,) * (query.ndim - 2) + (slice(None),)]
            allowed = allowed & pad
        logits = torch.matmul(query, key.mT) / math.sqrt(query.shape[-1])
        logits = torch.where(allowed, logits, torch.finfo(logits.dtype).min)
        return torch.matmul(logits.softmax(-1), value)


# %% wrong_a008
#: The mask always gets two ones in the middle, as if there were heads: without a head axis it
#: broadcasts to an answer with one dimension too many, mixed over the batch.
#: named: mask_fits_four_axes_only
class Attention(nn.Module):
    """Scaled dot-product attention; with mask_future query i sees key j only if j <= i."""

    def __init__(self, mask_future: bool = False):
        super().__init__()
        self.mask_future = mask_future

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, attention_mask: Tensor | None = None
    ) -> Tensor:
        attn_scores = torch.matmul(query, key.transpose(-1, -2))
        attn_scores = attn_scores / math.sqrt(query.size(-1))

        if self.mask_future:
            future = torch.triu(torch.ones_like(attn_scores), diagonal=1).bool()
            attn_scores = attn_scores.masked_fill(future, float("-inf"))

        if attention_mask is not None:
            # for all heads and all queries the same
            mask4d = attention_mask[:, None, None, :].bool()
            attn_scores = attn_scores.masked_fill(~mask4d, float("-inf"))

        attn_probs = nn.functional.softmax(attn_scores, dim=-1)
        return torch.matmul(attn_probs, value)


# %% wrong_a009
#: With mask_future the padding mask is ignored: it is one mask or the other, never both.
#: named: only_one_of_both_masks
class Attention(nn.Module):
    def __init__(self, mask_future: bool = False):
        super().__init__()
        self.mask_future = mask_future

    def forward(self, query, key, value, attention_mask=None):
        d_k = query.shape[-1]
        scores = torch.matmul(query, key.transpose(-2, -1)) / math.sqrt(d_k)   # (..., q, k)

        # which mask do we need?
        if self.mask_future == True:
            mask = torch.zeros(query.shape[-2], key.shape[-2])
            for i in range(query.shape[-2]):
                for j in range(key.shape[-2]):
                    if j <= i:
                        mask[i, j] = 1
            scores = scores.masked_fill(mask == 0, -math.inf)
        elif attention_mask is not None:
            mask = attention_mask
            for _ in range(scores.dim() - 2):
                mask = mask.unsqueeze(1)
            scores = scores.masked_fill(mask == 0, -math.inf)

        weights = torch.softmax(scores, dim=-1)
        output = torch.matmul(weights, value)
        return output


# %% wrong_a010
#: The weights are computed in numpy from detached scores, so no gradient reaches query and key.
#: named: gradient_is_cut
import numpy as np

def np_softmax(a):
    a = a - a.max(axis=-1, keepdims=True)
    e = np.exp(a)
    return e / e.sum(axis=-1, keepdims=True)

class Attention(nn.Module):
    """Scaled dot-product attention; with mask_future query i sees key j only if j <= i."""

    def __init__(self, mask_future: bool = False):
        super().__init__()
        self.mask_future = mask_future

    def forward(self, query: Tensor, key: Tensor, value: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        scores = (query @ key.swapaxes(-1, -2)).detach().cpu().numpy() / np.sqrt(query.shape[-1])
        if self.mask_future:
            i = np.arange(scores.shape[-2])[:, None]
            j = np.arange(scores.shape[-1])[None, :]
            scores = np.where(j <= i, scores, -np.inf)
        if attention_mask is not None:
            m = attention_mask.cpu().numpy().astype(bool)
            m = m.reshape(m.shape[0], *([1] * (scores.ndim - 2)), m.shape[1])
            scores = np.where(m, scores, -np.inf)
        weights = torch.from_numpy(np_softmax(scores)).to(value)
        return weights @ value


# %% wrong_a011
#: 1 - mask works for integers only: a boolean mask, which the statement allows, stops with an
#: error.
#: named: mask_only_of_integers
class Attention(nn.Module):
    """Scaled dot-product attention; with mask_future query i sees key j only if j <= i."""

    def __init__(self, mask_future: bool = False):
        super().__init__()
        self.mask_future = mask_future

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, attention_mask: Tensor | None = None
    ) -> Tensor:
        scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
        minimum = torch.finfo(scores.dtype).min
        hidden = torch.zeros_like(scores, dtype=torch.bool)
        if attention_mask is not None:
            inverted = 1 - attention_mask          # 1 where there is padding
            shape = (inverted.shape[0],) + (1,) * (scores.dim() - 2) + (inverted.shape[1],)
            hidden = hidden | (inverted.view(shape) == 1)
        if self.mask_future:
            hidden = hidden | torch.ones_like(hidden).triu(1)
        return (scores.masked_fill(hidden, minimum)).softmax(dim=-1) @ value


# %% right_a012
class Attention(nn.Module):
    """Scaled dot-product attention; with mask_future query i sees key j only if j <= i."""

    def __init__(self, mask_future: bool = False):
        super().__init__()
        self.mask_future = mask_future

    def forward(self, query: Tensor, key: Tensor, value: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        may_see = None
        if self.mask_future:
            rows = torch.arange(query.shape[-2], device=query.device)
            cols = torch.arange(key.shape[-2], device=query.device)
            may_see = rows[:, None] >= cols[None, :]
        if attention_mask is not None:
            padding = attention_mask != 0
            for _ in range(query.dim() - 2):
                padding = padding.unsqueeze(-2)
            may_see = padding if may_see is None else may_see & padding
        return F.scaled_dot_product_attention(query, key, value, attn_mask=may_see)


# %% right_a013
class Attention(nn.Module):
    def __init__(self, mask_future: bool = False):
        super().__init__()
        self.mask_future = mask_future

    def forward(self, query, key, value, attention_mask=None):
        ciktilar = []
        anahtar_sayisi = key.shape[-2]
        for sira in range(query.shape[-2]):
            soru = query[..., sira, :].unsqueeze(-1)                      # (..., d_k, 1)
            puan = torch.matmul(key, soru).squeeze(-1) / math.sqrt(query.shape[-1])   # (..., key_len)
            gorunur = torch.ones_like(puan)
            if self.mask_future:
                gorunur[..., sira + 1:] = 0
            if attention_mask is not None:
                maske = attention_mask.to(puan.dtype)
                gorunur = gorunur * maske.reshape([maske.shape[0]] + [1] * (puan.dim() - 2) + [anahtar_sayisi])
            puan = puan.masked_fill(gorunur == 0, -torch.inf)
            us = torch.exp(puan - puan.max(dim=-1, keepdim=True).values.detach())
            agirlik = us / us.sum(dim=-1, keepdim=True)
            ciktilar.append((agirlik.unsqueeze(-1) * value).sum(dim=-2))  # (..., d_v)
        return torch.stack(ciktilar, dim=-2)


# %% wrong_b079
#: Hidden scores are set to 1e-9, which is about 0 and not minus infinity: hidden keys keep a
#: weight.
#: named: future_weak_fill masked_score_is_zero
class Attention(nn.Module):
    def __init__(self, mask_future: bool = False):
        super().__init__()
        self.mask_future = mask_future

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, attention_mask: Tensor | None = None
    ) -> Tensor:
        d_k = query.size(-1)
        scores = torch.matmul(query, key.transpose(-2, -1)) / math.sqrt(d_k)
        if attention_mask is not None:
            mask = attention_mask.view(attention_mask.size(0), *[1] * (scores.dim() - 2), -1)
            scores = scores.masked_fill(mask == 0, 1e-9)
        if self.mask_future:
            future = torch.ones(scores.shape[-2:], dtype=torch.bool, device=scores.device).triu(1)
            scores = scores.masked_fill(future, 1e-9)
        return torch.matmul(scores.softmax(dim=-1), value)


# %% wrong_b080
#: With mask_future and an attention_mask only one of the two masks is applied: elif where both are
#: needed.
#: named: only_one_of_both_masks
class Attention(nn.Module):
    """Scaled dot-product attention; with mask_future query i sees key j only if j <= i."""

    def __init__(self, mask_future: bool = False):
        super().__init__()
        self.mask_future = mask_future

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, attention_mask: Tensor | None = None
    ) -> Tensor:
        scores = query @ key.mT / query.shape[-1] ** 0.5           # (..., query_len, key_len)

        allowed = None
        if attention_mask is not None:
            allowed = attention_mask.bool()
            while allowed.dim() < scores.dim():
                allowed = allowed.unsqueeze(1)                      # (batch, 1, ..., key_len)
        elif self.mask_future:
            allowed = torch.ones_like(scores, dtype=torch.bool).tril()

        if allowed is not None:
            scores = scores.masked_fill(~allowed, float("-inf"))
        return F.softmax(scores, dim=-1) @ value


# %% wrong_b081
#: Hidden keys are set to zero after the softmax: the weights of the others do not add up to one
#: any more.
#: named: mask_behind_the_softmax
class Attention(nn.Module):
    def __init__(self, mask_future: bool = False):
        super().__init__()
        self.mask_future = mask_future

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, attention_mask: Tensor | None = None
    ) -> Tensor:
        q_len, k_len = query.shape[-2], key.shape[-2]
        scores = torch.einsum("...qd,...kd->...qk", query, key) / math.sqrt(query.shape[-1])
        weights = scores.softmax(-1)

        visible = torch.ones(q_len, k_len, device=query.device, dtype=query.dtype)
        if self.mask_future:
            visible = torch.tril(visible)
        if attention_mask is not None:
            shape = (attention_mask.shape[0],) + (1,) * (query.dim() - 2) + (k_len,)
            visible = visible * attention_mask.reshape(shape).to(query.dtype)

        return (weights * visible) @ value


# %% wrong_b082
#: Scores are divided by the root of the value's width d_v, not of d_k: it shows only where the two
#: differ.
#: named: wrong_scale
class Attention(nn.Module):
    def __init__(self, mask_future: bool = False):
        super().__init__()
        self.mask_future = mask_future

    def _build_mask(self, scores: Tensor, attention_mask: Tensor | None) -> Tensor:
        """True where a key may be attended."""
        query_len, key_len = scores.shape[-2:]
        mask = torch.ones(query_len, key_len, dtype=torch.bool, device=scores.device)
        if self.mask_future:
            mask = mask.tril()
        if attention_mask is not None:
            extra = scores.dim() - 2
            padding = attention_mask.bool()[(slice(None),) + (None,) * extra]
            mask = mask & padding
        return mask

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, attention_mask: Tensor | None = None
    ) -> Tensor:
        d_k = value.size(-1)
        scores = (query @ key.transpose(-2, -1)) / math.sqrt(d_k)
        scores = scores.masked_fill(~self._build_mask(scores, attention_mask), -torch.inf)
        weights = torch.softmax(scores, dim=-1)
        return weights @ value


# %% wrong_b083
#: ~ is applied to the mask before it is made boolean: of an integer 1 it makes -2, which is true
#: again, so an integer mask hides all keys (a bool mask works).
#: named: mask_only_of_truths
class Attention(nn.Module):
    def __init__(self, mask_future: bool = False):
        super().__init__()
        self.mask_future = mask_future

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, attention_mask: Tensor | None = None
    ) -> Tensor:
        lowest = torch.finfo(query.dtype).min
        logits = query @ key.transpose(-1, -2)
        logits = logits * key.shape[-1] ** -0.5
        if self.mask_future:
            rows = torch.arange(logits.shape[-2], device=logits.device)[:, None]
            cols = torch.arange(logits.shape[-1], device=logits.device)[None, :]
            logits = logits.masked_fill(cols > rows, lowest)
        if attention_mask is not None:
            hidden = (~attention_mask).bool()
            hidden = hidden.reshape(hidden.shape[0], *(1,) * (logits.ndim - 2), hidden.shape[-1])
            logits = logits.masked_fill(hidden, lowest)
        return logits.softmax(dim=-1) @ value


# %% right_b084
class Attention(nn.Module):
    """Scaled dot-product attention; with mask_future query i sees key j only if j <= i."""

    def __init__(self, mask_future: bool = False):
        super().__init__()
        self.mask_future = mask_future

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, attention_mask: Tensor | None = None
    ) -> Tensor:
        n, m = query.shape[-2], key.shape[-2]
        bias = query.new_zeros(n, m)
        if self.mask_future:
            i, j = torch.meshgrid(torch.arange(n), torch.arange(m), indexing="ij")
            bias[(j > i).to(bias.device)] = -math.inf
        if attention_mask is not None:
            shut = torch.zeros(attention_mask.shape, dtype=query.dtype, device=query.device)
            shut[attention_mask == 0] = -math.inf
            for _ in range(query.dim() - 2):
                shut = shut.unsqueeze(1)
            bias = bias + shut                                   # (batch, 1, ..., n, m)
        s = torch.einsum("...nd,...md->...nm", query / query.shape[-1] ** 0.5, key) + bias
        weights = torch.exp(s - torch.logsumexp(s, dim=-1, keepdim=True))
        return torch.einsum("...nm,...mv->...nv", weights, value)
