import torch
from torch import Tensor, nn


class MultiHeadAttention(nn.Module):
    """Every projection is one einsum: the linear layers only hold the matrices."""

    def __init__(self, d_model: int, num_heads: int, mask_future: bool = False):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError(f"{d_model=} is not divisible by {num_heads=}")
        self.num_heads = num_heads
        self.query_transform = nn.Linear(d_model, d_model, bias=False)
        self.key_transform = nn.Linear(d_model, d_model, bias=False)
        self.value_transform = nn.Linear(d_model, d_model, bias=False)
        self.output_transform = nn.Linear(d_model, d_model, bias=False)
        self.attention = Attention(mask_future)

    def _project(self, linear: nn.Linear, x: Tensor) -> Tensor:
        weight = linear.weight.unflatten(0, (self.num_heads, -1))  # (heads, d_k, d_model)
        return torch.einsum("bsm,hdm->bhsd", x, weight)

    def forward(self, query, key, value, attention_mask=None):
        heads = self.attention(
            self._project(self.query_transform, query),
            self._project(self.key_transform, key),
            self._project(self.value_transform, value),
            attention_mask,
        )
        weight = self.output_transform.weight.unflatten(1, (self.num_heads, -1))
        return torch.einsum("bhsd,mhd->bsm", heads, weight)
