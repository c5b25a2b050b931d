class MultiHeadAttention(nn.Module):

    def __init__(self, d_model: int, num_heads: int, mask_future: bool = False):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError('n_embd must be a multiple of n_head')
        self.n_head = num_heads
        self.n_embd = d_model
        # query, key and value projections for all heads, in one matrix
        self.c_attn = nn.Linear(d_model, 3 * d_model, bias=False)
        # output projection
        self.c_proj = nn.Linear(d_model, d_model, bias=False)
        self.attention = Attention(mask_future)

    def forward(self, query: Tensor, key: Tensor, value: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        B, T, C = query.size()
        S = key.size(1)
        wq, wk, wv = self.c_attn.weight.split(self.n_embd, dim=0)
        q = F.linear(query, wq).view(B, T, self.n_head, C // self.n_head).transpose(1, 2) # (B, nh, T, hs)
        k = F.linear(key,   wk).view(B, S, self.n_head, C // self.n_head).transpose(1, 2) # (B, nh, S, hs)
        v = F.linear(value, wv).view(B, S, self.n_head, C // self.n_head).transpose(1, 2) # (B, nh, S, hs)
        y = self.attention(q, k, v, attention_mask)
        y = y.transpose(1, 2).contiguous().view(B, T, C) # re-assemble all head outputs side by side
        return self.c_proj(y)
