# Which words may a position look at? The helper below answers for the future.
def subsequent_mask(rows, cols):
    "Mask out subsequent positions: a (1, rows, cols) tensor, True where looking is fine."
    future = torch.triu(torch.ones(1, rows, cols), diagonal=1)
    return future == 0


class Attention(nn.Module):
    "Compute 'Scaled Dot Product Attention'"

    def __init__(self, mask_future: bool = False):
        super().__init__()
        self.mask_future = mask_future

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, attention_mask: Tensor | None = None
    ) -> Tensor:
        d_k = query.size(-1)
        # 1) How well does each query fit each key?
        scores = torch.matmul(query, key.transpose(-2, -1)) / math.sqrt(d_k)
        # 2) Forget everything in the future ...
        if self.mask_future:
            mask = subsequent_mask(query.size(-2), key.size(-2)).to(scores.device)
            mask = mask.squeeze(0)
            scores = scores.masked_fill(mask == 0, -1e9)
        # 3) ... and everything which is only padding.
        if attention_mask is not None:
            mask = attention_mask
            while mask.dim() < scores.dim():
                mask = mask.unsqueeze(1)
            scores = scores.masked_fill(mask == 0, -1e9)
        # 4) Turn the scores into weights and mix the values.
        p_attn = scores.softmax(dim=-1)
        return torch.matmul(p_attn, value)
