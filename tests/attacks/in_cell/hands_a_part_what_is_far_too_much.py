# Attention is quadratic in what it is handed, and the examiner plays it.
# cell: multi_head_attention
# state: answered
# lost: multi_head_attention
# proof: hands over \(1, 45000, 1\)
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads, mask_future=False):
        super().__init__()
        self.attention = Attention()

    def forward(self, query, key, value, attention_mask=None):
        big = torch.zeros(1, 45_000, 1)
        prove("hands over", tuple(big.shape))
        return self.attention(big, big, big, None)

