class Attention(nn.Module):

    def __init__(self, mask_future: bool = False):
        super().__init__()
        self.mask_future = mask_future

    def forward(self, query: Tensor, key: Tensor, value: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        q, k, v = query, key, value
        T, S = q.size(-2), k.size(-2)
        # (B, nh, T, hs) x (B, nh, hs, S) -> (B, nh, T, S)
        att = (q @ k.transpose(-2, -1)) * (1.0 / math.sqrt(k.size(-1)))
        if self.mask_future:
            tril = torch.tril(torch.ones(T, S, device=q.device))
            att = att.masked_fill(tril == 0, float('-inf'))
        if attention_mask is not None:
            m = attention_mask
            for _ in range(att.dim() - 2):
                m = m.unsqueeze(-2)
            att = att.masked_fill(m == 0, float('-inf'))
        att = F.softmax(att, dim=-1)
        return att @ v # (B, nh, T, S) x (B, nh, S, hs) -> (B, nh, T, hs)
