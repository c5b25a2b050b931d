import numpy as np
import torch
from torch import nn


def position_encoding(max_len, d_model):
    pos = np.arange(max_len).reshape(-1, 1)
    div = np.exp(np.arange(0, d_model, 2) * -(np.log(10000.0) / d_model))
    pe = np.empty((max_len, d_model))
    pe[:, 0::2] = np.sin(pos * div)
    pe[:, 1::2] = np.cos(pos * div)
    return torch.from_numpy(pe).float()


class Encoder(nn.Module):
    def __init__(self, vocab_size, d_model, num_heads, d_ff, num_layers, dropout=0.1, max_len=512):
        super(Encoder, self).__init__()
        self.scale = torch.sqrt(torch.FloatTensor([d_model]))
        self.embedding = nn.Embedding(vocab_size, d_model)
        self.register_buffer("pe", position_encoding(max_len, d_model))
        self.layers = nn.ModuleList(
            [EncoderLayer(d_model, num_heads, d_ff, dropout) for i in range(num_layers)]
        )
        self.dropout = nn.Dropout(dropout)

    def embed(self, tokens):
        batch_size, seq_len = tokens.shape
        pos = self.pe[:seq_len].repeat(batch_size, 1, 1)
        return self.dropout((self.embedding(tokens) * self.scale) + pos)

    def forward(self, tokens, attention_mask=None):
        x = self.embed(tokens)
        for layer in self.layers:
            x = layer(x=x, attention_mask=attention_mask)
        return x
