import copy

import numpy as np
import torch
import torch.nn as nn


def get_sinusoid_table(n_position, d_hid):
    angles = np.arange(n_position)[:, None] / np.power(10000, 2 * (np.arange(d_hid) // 2) / d_hid)
    angles[:, 0::2] = np.sin(angles[:, 0::2])
    angles[:, 1::2] = np.cos(angles[:, 1::2])
    return torch.FloatTensor(angles)


class Encoder(nn.Module):
    def __init__(
        self, vocab_size, d_model, num_heads, d_ff, num_layers, dropout=0.1, max_len=512
    ):
        super().__init__()
        layer = EncoderLayer(d_model, num_heads, d_ff, dropout)
        self.layers = nn.ModuleList([copy.deepcopy(layer) for _ in range(num_layers)])
        self.embedding = nn.Embedding(vocab_size, d_model, padding_idx=0)
        self.positions = nn.Embedding.from_pretrained(get_sinusoid_table(max_len, d_model), freeze=True)
        self.dropout = nn.Dropout(dropout)
        for p in self.parameters():
            if p.dim() > 1 and p.requires_grad:
                nn.init.xavier_uniform_(p)

    def forward(self, tokens, attention_mask=None):
        pos = torch.arange(tokens.shape[1], device=tokens.device).unsqueeze(0).expand_as(tokens)
        x = self.embedding(tokens) * self.embedding.embedding_dim**0.5 + self.positions(pos)
        x = self.dropout(x)
        for layer in self.layers:
            x = layer(x, attention_mask=attention_mask)
        return x
