import math

import torch
import torch.nn as nn


class Embeddings(nn.Module):
    def __init__(self, d_model, vocab):
        super(Embeddings, self).__init__()
        self.lut = nn.Embedding(vocab, d_model)
        self.d_model = d_model

    def forward(self, x):
        return self.lut(x) * math.sqrt(self.d_model)


class PositionalEncoding(nn.Module):
    "Implement the PE function."

    def __init__(self, d_model, dropout, max_len=5000):
        super(PositionalEncoding, self).__init__()
        self.dropout = nn.Dropout(p=dropout)
        pe = torch.zeros(max_len, d_model)
        position = torch.arange(0, max_len).unsqueeze(1)
        div_term = torch.exp(torch.arange(0, d_model, 2) * -(math.log(10000.0) / d_model))
        pe[:, 0::2] = torch.sin(position * div_term)
        pe[:, 1::2] = torch.cos(position * div_term)
        self.register_buffer("pe", pe.unsqueeze(0))

    def forward(self, x):
        return self.dropout(x + self.pe[:, : x.size(1)].requires_grad_(False))


class Encoder(nn.Module):
    def __init__(self, vocab, d_model, h, d_ff, N=6, dropout=0.1, max_len=512):
        super(Encoder, self).__init__()
        position = PositionalEncoding(d_model, dropout, max_len)
        self.embed = nn.Sequential(Embeddings(d_model, vocab), position)
        self.layers = clones(EncoderLayer(d_model, h, d_ff, dropout), N)
        for p in self.parameters():
            if p.dim() > 1:
                nn.init.xavier_uniform_(p)

    def forward(self, src, src_mask=None):
        "Pass the input (and mask) through each layer in turn."
        x = self.embed(src)
        for layer in self.layers:
            x = layer(x, src_mask)
        return x
