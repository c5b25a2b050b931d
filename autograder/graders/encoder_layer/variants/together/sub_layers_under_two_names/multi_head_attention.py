from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads, mask_future=False, dropout=0.0):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError("d_model % num_heads != 0")
        self.num_heads = num_heads
        self.w_q = nn.Linear(d_model, d_model, bias=False)
        self.w_k = nn.Linear(d_model, d_model, bias=False)
        self.w_v = nn.Linear(d_model, d_model, bias=False)
        self.w_concat = nn.Linear(d_model, d_model, bias=False)
        self.attention = Attention(mask_future)
        self.dropout = nn.Dropout(dropout)

    def split(self, tensor):
        batch_size, length, _ = tensor.size()
        return tensor.view(batch_size, length, self.num_heads, -1).transpose(1, 2)

    def forward(self, q, k, v, mask=None):
        q, k, v = self.split(self.w_q(q)), self.split(self.w_k(k)), self.split(self.w_v(v))
        out = self.attention(q, k, v, mask).transpose(1, 2).contiguous()
        return self.dropout(self.w_concat(out.view(out.size(0), out.size(1), -1)))
