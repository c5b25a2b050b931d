# %% wrong_norm_of_attention
#: The second norm acts on what the attention returned.
#: named: norm_of_what_attention_adds
class ModernBlock(nn.Module):
    def __init__(self, d_model, num_heads, d_ff):
        super().__init__()
        self.norm_1 = RMSNorm(d_model)
        self.attention = MultiHeadAttention(d_model, num_heads)
        self.norm_2 = RMSNorm(d_model)
        self.feed_forward = SwiGLU(d_model, d_ff)
    def forward(self, x, attention_mask=None):
        a = self.attention(*[self.norm_1(x)] * 3, attention_mask)
        h = x + a
        return h + self.feed_forward(self.norm_2(a))


# %% wrong_three_norms
#: Query, key and value have a norm each.
#: named: norms_for_query_key_and_value
class ModernBlock(nn.Module):
    def __init__(self, d_model, num_heads, d_ff):
        super().__init__()
        self.norm_q = RMSNorm(d_model)
        self.norm_k = RMSNorm(d_model)
        self.norm_v = RMSNorm(d_model)
        self.norm_2 = RMSNorm(d_model)
        self.num_heads = num_heads
        self.q = nn.Linear(d_model, d_model, bias=False)
        self.k = nn.Linear(d_model, d_model, bias=False)
        self.v = nn.Linear(d_model, d_model, bias=False)
        self.o = nn.Linear(d_model, d_model, bias=False)
        self.feed_forward = SwiGLU(d_model, d_ff)
    def forward(self, x, attention_mask=None):
        b, s, d = x.shape
        split = lambda t: t.view(b, s, self.num_heads, -1).transpose(1, 2)
        q, k, v = split(self.q(self.norm_q(x))), split(self.k(self.norm_k(x))), split(self.v(self.norm_v(x)))
        scores = q @ k.transpose(-1, -2) / q.size(-1) ** 0.5
        if attention_mask is not None:
            scores = scores.masked_fill(attention_mask[:, None, None, :] == 0, float("-inf"))
        a = (scores.softmax(-1) @ v).transpose(1, 2).reshape(b, s, d)
        h = x + self.o(a)
        return h + self.feed_forward(self.norm_2(h))
