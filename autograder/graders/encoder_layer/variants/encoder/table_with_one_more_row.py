import torch
from torch import nn


def sinusoid_encoding_table(n_position, d_model):
    def angle(position, feature):
        return position / 10000 ** (2 * (feature // 2) / d_model)

    table = torch.tensor([[angle(p, i) for i in range(d_model)] for p in range(n_position)])
    table[:, 0::2] = table[:, 0::2].sin()
    table[:, 1::2] = table[:, 1::2].cos()
    return table


class Encoder(nn.Module):
    def __init__(self, vocab_size, d_model, num_heads, d_ff, num_layers, dropout=0.1, max_len=512):
        super().__init__()
        table = sinusoid_encoding_table(max_len + 1, d_model)
        self.pos_emb = nn.Embedding.from_pretrained(table, freeze=True)
        self.src_emb = nn.Embedding(vocab_size, d_model)
        self.layers = nn.ModuleList(
            [EncoderLayer(d_model, num_heads, d_ff, dropout) for _ in range(num_layers)]
        )
        self.dropout = nn.Dropout(dropout)
        self.factor = d_model**0.5

    def forward(self, tokens, attention_mask=None):
        positions = torch.arange(tokens.size(1)).unsqueeze(0)
        x = self.dropout(self.src_emb(tokens) * self.factor + self.pos_emb(positions))
        for layer in self.layers:
            x = layer(x, attention_mask)
        return x
