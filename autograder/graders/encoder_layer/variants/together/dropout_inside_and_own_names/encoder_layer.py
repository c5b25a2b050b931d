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
