from einops import einsum, rearrange


class Attention(nn.Module):
    def __init__(self, mask_future: bool = False):
        super().__init__()
        self.mask_future = mask_future

    def forward(self, query, key, value, attention_mask=None):
        sim = einsum(query, key, "... i d, ... j d -> ... i j") / math.sqrt(query.shape[-1])
        low = torch.finfo(sim.dtype).min
        if self.mask_future:
            i = rearrange(torch.arange(sim.shape[-2], device=sim.device), "i -> i 1")
            j = rearrange(torch.arange(sim.shape[-1], device=sim.device), "j -> 1 j")
            sim = torch.where(j <= i, sim, low)
        if attention_mask is not None:
            ones = "1 " * (sim.ndim - 2)
            keep = rearrange(attention_mask.bool(), f"b j -> b {ones} j")
            sim = torch.where(keep, sim, low)
        return einsum(sim.softmax(dim=-1), value, "... i j, ... j d -> ... i d")
