class Attention(nn.Module):
    def __init__(self, mask_future: bool = False):
        super().__init__()
        self.mask_future = mask_future

    def forward(self, query, key, value, attention_mask=None):
        see = torch.ones(query.shape[-2], key.shape[-2], dtype=torch.bool, device=query.device)
        see = see.tril() if self.mask_future else see
        see = see if attention_mask is None else see & attention_mask.bool()[(..., *[None] * (query.ndim - 2), slice(None))]
        return F.scaled_dot_product_attention(query, key, value, attn_mask=see)
