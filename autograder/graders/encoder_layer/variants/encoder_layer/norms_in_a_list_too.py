import torch.nn as nn


class EncoderLayer(nn.Module):
    def __init__(self, d_model, num_heads, d_ff, dropout=0.1):
        super().__init__()
        self.attn = MultiHeadAttention(d_model, num_heads)
        self.ffn = PositionWiseFeedForward(d_model, d_ff)
        self.attn_ln = nn.LayerNorm(d_model)
        self.ffn_ln = nn.LayerNorm(d_model)
        self.lns = nn.ModuleList([self.attn_ln, self.ffn_ln])
        self.drop = nn.Dropout(dropout)

    def forward(self, x, attention_mask=None):
        sublayers = (lambda x: self.attn(x, x, x, attention_mask)), self.ffn
        for sublayer, ln in zip(sublayers, self.lns):
            x = ln(x + self.drop(sublayer(x)))
        return x
