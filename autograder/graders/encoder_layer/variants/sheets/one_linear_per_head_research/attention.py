class Attention(nn.Module):
    def __init__(self, mask_future: bool = False):
        super().__init__()
        self.mask_future = mask_future

    def forward(self, query, key, value, attention_mask=None):
        logits = query @ key.mT / query.size(-1) ** 0.5
        if self.mask_future:
            i, j = (torch.arange(n, device=query.device) for n in logits.shape[-2:])
            logits = logits.masked_fill(j > i[:, None], -torch.inf)
        if attention_mask is not None:
            hide = attention_mask == 0
            logits = logits.masked_fill(hide.view(len(hide), *[1] * (logits.ndim - 2), -1), -torch.inf)
        return logits.softmax(-1) @ value
