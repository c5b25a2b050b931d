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
