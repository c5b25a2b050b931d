# %% encoder_layer
import torch.nn as nn


class EncoderLayer(nn.Module):
    def __init__(self, n_embd, n_head, n_hidden, dropout=0.1):
        super().__init__()
        self.ln_1 = nn.LayerNorm(n_embd)
        self.attn = MultiHeadAttention(n_embd, n_head, resid_pdrop=dropout)
        self.ln_2 = nn.LayerNorm(n_embd)
        self.mlp = nn.Sequential(PositionWiseFeedForward(n_embd, n_hidden), nn.Dropout(dropout))

    def forward(self, x, mask=None):
        x = self.ln_1(x + self.attn(x, x, x, mask))
        x = self.ln_2(x + self.mlp(x))
        return x


# %% multi_head_attention
import torch.nn as nn


class MultiHeadAttention(nn.Module):
    def __init__(self, n_embd, n_head, causal=False, resid_pdrop=0.0):
        super().__init__()
        if n_embd % n_head != 0:
            raise ValueError("n_embd % n_head != 0")
        self.key = nn.Linear(n_embd, n_embd, bias=False)
        self.query = nn.Linear(n_embd, n_embd, bias=False)
        self.value = nn.Linear(n_embd, n_embd, bias=False)
        self.out_proj = nn.Linear(n_embd, n_embd, bias=False)
        self.resid_drop = nn.Dropout(resid_pdrop)
        self.n_head = n_head
        self.attention = Attention(causal)

    def forward(self, q, k, v, mask=None):
        B, T, C = q.size()
        k = self.key(k).view(B, -1, self.n_head, C // self.n_head).transpose(1, 2)
        q = self.query(q).view(B, -1, self.n_head, C // self.n_head).transpose(1, 2)
        v = self.value(v).view(B, -1, self.n_head, C // self.n_head).transpose(1, 2)
        y = self.attention(q, k, v, mask).transpose(1, 2).contiguous().view(B, T, C)
        return self.resid_drop(self.out_proj(y))
