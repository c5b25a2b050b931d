import math
import torch
from torch import Tensor, nn

class Attention(nn.Module):
    """Scaled dot-product attention with optional causal and padding masks.

    Args:
        mask_future: If True, query ``i`` may only attend to keys ``j <= i``.
    """

    def __init__(self, mask_future: bool = False):
        super().__init__()
        self.mask_future = mask_future
        # Grows on demand; not part of the state dict.
        self.register_buffer("_causal_mask", torch.ones(0, 0, dtype=torch.bool), persistent=False)

    def _get_causal_mask(self, query_len: int, key_len: int, device: torch.device) -> Tensor:
        """Return a (query_len, key_len) boolean mask, True = may be attended."""
        size = max(query_len, key_len)
        if self._causal_mask.shape[0] < size or self._causal_mask.device != device:
            self._causal_mask = torch.ones(size, size, dtype=torch.bool, device=device).tril()
        return self._causal_mask[:query_len, :key_len]

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, attention_mask: Tensor | None = None
    ) -> Tensor:
        """Compute the attention output.

        Args:
            query: Tensor of shape (..., query_len, d_k).
            key: Tensor of shape (..., key_len, d_k).
            value: Tensor of shape (..., key_len, d_v).
            attention_mask: Optional tensor of shape (batch, key_len); 1 or True = attend.

        Returns:
            Tensor of shape (..., query_len, d_v).
        """
        # --- Input validation ---
        if query.size(-1) != key.size(-1):
            raise ValueError("query and key must have the same number of features")
        if key.size(-2) != value.size(-2):
            raise ValueError("key and value must have the same length")

        # --- Scores: (..., query_len, key_len) ---
        d_k = query.size(-1)
        scores = torch.matmul(query, key.transpose(-2, -1)) / math.sqrt(max(d_k, 1))
        query_len, key_len = scores.shape[-2:]

        # --- Masks ---
        allowed = None
        if attention_mask is not None:
            if attention_mask.dim() != 2 or attention_mask.size(1) != key_len:
                raise ValueError(f"attention_mask must be (batch, {key_len})")
            allowed = attention_mask.to(device=scores.device).bool()
            allowed = allowed.view(allowed.size(0), *([1] * (scores.dim() - 2)), key_len)
        if self.mask_future:
            causal = self._get_causal_mask(query_len, key_len, scores.device)
            allowed = causal if allowed is None else torch.logical_and(allowed, causal)
        if allowed is not None:
            scores = scores.masked_fill(~allowed, float("-inf"))

        # --- Weights; a row without any allowed key would be NaN, make it zero ---
        weights = torch.softmax(scores, dim=-1)
        weights = torch.nan_to_num(weights, nan=0.0)

        return torch.matmul(weights, value)
