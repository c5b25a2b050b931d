import torch.nn as nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_head, mask_future=False):
        super().__init__()
        if d_model % n_head != 0:
            raise ValueError(f"{d_model} % {n_head}")
        self.n_head = n_head
        d_k = d_v = d_model // n_head
        self.w_qs = nn.Linear(d_model, n_head * d_k, bias=False)
        self.w_ks = nn.Linear(d_model, n_head * d_k, bias=False)
        self.w_vs = nn.Linear(d_model, n_head * d_v, bias=False)
        self.fc = nn.Linear(n_head * d_v, d_model, bias=False)
        self.attention = Attention(mask_future)
        self.d_k, self.d_v = d_k, d_v

    def forward(self, q, k, v, mask=None):
        sz_b, len_q, len_k, len_v = q.size(0), q.size(1), k.size(1), v.size(1)
        q = self.w_qs(q).view(sz_b, len_q, self.n_head, self.d_k).transpose(1, 2)
        k = self.w_ks(k).view(sz_b, len_k, self.n_head, self.d_k).transpose(1, 2)
        v = self.w_vs(v).view(sz_b, len_v, self.n_head, self.d_v).transpose(1, 2)
        q = self.attention(q, k, v, mask)
        return self.fc(q.transpose(1, 2).contiguous().view(sz_b, len_q, -1))
