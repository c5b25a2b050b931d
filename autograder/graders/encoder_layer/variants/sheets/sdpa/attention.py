class Attention(nn.Module):
    def __init__(self, mask_future: bool = False):
        super().__init__()
        self.mask_future = mask_future

    def extra_repr(self):
        return f"mask_future={self.mask_future}"

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, attention_mask: Tensor | None = None
    ) -> Tensor:
        if attention_mask is None:
            return F.scaled_dot_product_attention(query, key, value, is_causal=self.mask_future)
        between = [1] * (query.ndim - 2)
        allowed = attention_mask.bool().unflatten(0, [-1] + between)  # (batch, 1, ..., 1, key_len)
        if self.mask_future:
            past = query.new_ones(query.size(-2), key.size(-2)).tril().bool()
            allowed = allowed & past
        return F.scaled_dot_product_attention(query, key, value, attn_mask=allowed)
