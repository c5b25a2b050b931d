# %% config_and_shifted_sine
import math
from dataclasses import dataclass

import torch
import torch.nn as nn


@dataclass
class EncoderConfig:
    vocab_size: int
    d_model: int
    num_heads: int
    d_ff: int
    num_layers: int
    dropout: float = 0.1
    max_len: int = 512


class FixedPositions(nn.Module):
    """cos(a) = sin(a + pi / 2), so one sine is enough."""

    def __init__(self, max_len, d_model):
        super().__init__()
        feature = torch.arange(d_model)
        rate = torch.exp(-math.log(10_000) * (feature - feature % 2) / d_model)
        phase = (feature % 2) * (math.pi / 2)
        table = torch.sin(torch.arange(max_len).unsqueeze(1) * rate + phase)
        self.register_buffer("table", table.unsqueeze(0), persistent=False)

    def forward(self, x):
        return x + self.table[:, : x.shape[1], :]


class Encoder(nn.Module):
    def __init__(self, *args, **kwargs):
        super().__init__()
        self.config = c = EncoderConfig(*args, **kwargs)
        self.embedding = nn.Embedding(c.vocab_size, c.d_model)
        self.pos = FixedPositions(c.max_len, c.d_model)
        self.dropout = nn.Dropout(c.dropout)
        self.layers = nn.ModuleList(
            [EncoderLayer(c.d_model, c.num_heads, c.d_ff, c.dropout) for _ in range(c.num_layers)]
        )

    def forward(self, tokens, attention_mask=None):
        x = self.dropout(self.pos(self.embedding(tokens) * self.config.d_model**0.5))
        for i in range(len(self.layers)):
            x = self.layers[i](x, attention_mask)
        return x


# %% exp_log_positional_encoding
import math

import torch
import torch.nn as nn


class PositionalEncoding(nn.Module):
    def __init__(self, d_model, dropout, max_len=5000):
        super(PositionalEncoding, self).__init__()
        self.dropout = nn.Dropout(p=dropout)
        pe = torch.zeros(max_len, d_model)
        position = torch.arange(0, max_len, dtype=torch.float).unsqueeze(1)
        div_term = torch.exp(torch.arange(0, d_model, 2).float() * (-math.log(10000.0) / d_model))
        pe[:, 0::2] = torch.sin(position * div_term)
        pe[:, 1::2] = torch.cos(position * div_term)
        self.register_buffer("pe", pe.unsqueeze(0))

    def forward(self, x):
        x = x + self.pe[:, : x.size(1)].requires_grad_(False)
        return self.dropout(x)


class Encoder(nn.Module):
    def __init__(self, vocab, d_model, h, d_ff, N, dropout=0.1, max_len=512):
        super().__init__()
        self.embedding = nn.Embedding(vocab, d_model)
        self.positional_encoding = PositionalEncoding(d_model, dropout, max_len)
        self.layers = nn.ModuleList([EncoderLayer(d_model, h, d_ff, dropout) for _ in range(N)])
        self.d_model = d_model

    def forward(self, src, src_mask=None):
        x = self.positional_encoding(self.embedding(src) * math.sqrt(self.d_model))
        for layer in self.layers:
            x = layer(x, src_mask)
        return x


# %% frozen_parameter_and_sequential
import math

import torch
from torch import nn


class Stack(nn.Sequential):
    """A Sequential that hands the mask to each of its members."""

    def forward(self, x, mask=None):
        for layer in self:
            x = layer(x, mask)
        return x


class Encoder(nn.Module):
    def __init__(self, vocab_size, d_model, num_heads, d_ff, num_layers, dropout=0.1, max_len=512):
        super().__init__()
        table = torch.zeros(max_len, d_model)
        for pos in range(max_len):
            for i in range(0, d_model, 2):
                table[pos, i] = math.sin(pos / (10000 ** (i / d_model)))
                table[pos, i + 1] = math.cos(pos / (10000 ** (i / d_model)))
        self.positions = nn.Parameter(table, requires_grad=False)
        self.embedding = nn.Embedding(vocab_size, d_model)
        self.dropout = nn.Dropout(dropout)
        layers = (EncoderLayer(d_model, num_heads, d_ff, dropout) for _ in range(num_layers))
        self.layers = Stack(*layers)

    def forward(self, tokens, attention_mask=None):
        x = self.embedding(tokens).mul(math.sqrt(self.positions.size(1)))
        x = x + self.positions[: tokens.size(-1)]
        return self.layers(self.dropout(x), attention_mask)


# %% layers_and_a_stack_of_them
import torch
from torch import nn


class Encoder(nn.Module):
    def __init__(self, vocab_size, d_model, num_heads, d_ff, num_layers=6, dropout=0.1, max_len=512):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, d_model)
        self.layers = nn.ModuleList(
            EncoderLayer(d_model, num_heads, d_ff, dropout) for _ in range(num_layers)
        )
        self.parts = nn.ModuleDict({"embedding": self.embedding, "layers": self.layers})
        self.dropout = nn.Dropout(dropout)
        k = torch.arange(d_model // 2)
        angles = torch.einsum("p,k->pk", torch.arange(max_len) * 1.0, 10000 ** (-2 * k / d_model))
        self.register_buffer("angles", angles)

    def forward(self, tokens, attention_mask=None):
        angles = self.angles[: tokens.size(1)]
        x = self.embedding(tokens) * self.embedding.embedding_dim**0.5
        x = x + torch.cat([angles.sin().unsqueeze(2), angles.cos().unsqueeze(2)], 2).view(*x.shape[1:])
        x = self.dropout(x)
        for layer in self.parts["layers"]:
            x = layer(x, attention_mask)
        return x


# %% layers_by_add_module
import math
from functools import reduce

import torch
from torch import nn


class Embeddings(nn.Module):
    def __init__(self, vocab, d_model):
        super().__init__()
        self.lut = nn.Embedding(vocab, d_model)
        self.d_model = d_model

    def forward(self, x):
        return self.lut(x) * math.sqrt(self.d_model)


class Encoder(nn.Module):
    def __init__(self, vocab_size, d_model, num_heads, d_ff, num_layers, dropout=0.1, max_len=512):
        super().__init__()
        for n in range(num_layers):
            self.add_module(f"layer_{n}", EncoderLayer(d_model, num_heads, d_ff, dropout=dropout))
        self.num_layers = num_layers
        self.embed = Embeddings(vocab_size, d_model)
        self.dropout = nn.Dropout(p=dropout)
        even = torch.arange(0, d_model, 2, dtype=torch.float32)
        angle = torch.arange(max_len, dtype=torch.float32)[:, None] / 10000 ** (even / d_model)
        waves = torch.zeros((max_len, d_model), dtype=torch.float32)
        waves[:, ::2], waves[:, 1::2] = torch.sin(angle), torch.cos(angle)
        self.waves = waves  # not on a GPU, not in the state

    def forward(self, tokens, attention_mask=None):
        x = self.dropout(self.embed(tokens) + self.waves[: tokens.shape[1]])
        layers = [getattr(self, f"layer_{n}") for n in range(self.num_layers)]
        return reduce(lambda y, layer: layer(y, attention_mask), layers, x)


# %% numpy_float64_table
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


# %% numpy_table_and_clones
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


# %% positions_computed_in_forward
import torch
import torch.nn.functional as F
from torch import Tensor, nn


def sinusoids(length: int, d_model: int) -> Tensor:
    """Sine and cosine of each angle side by side: stacked, then flattened."""
    i = torch.arange(0, d_model, 2)
    angles = torch.outer(torch.arange(length), 1 / torch.pow(10000.0, i / d_model))
    return torch.stack((angles.sin(), angles.cos()), dim=-1).flatten(1)


class Encoder(nn.Module):
    def __init__(
        self,
        vocab_size: int,
        d_model: int,
        num_heads: int,
        d_ff: int,
        num_layers: int,
        dropout: float = 0.1,
        max_len: int = 512,
    ):
        super().__init__()
        self.d_model, self.max_len, self.p = d_model, max_len, dropout
        self.embedding = nn.Embedding(vocab_size, d_model)
        self.layers = nn.ModuleList()
        for _ in range(num_layers):
            self.layers.append(EncoderLayer(d_model, num_heads, d_ff, dropout))

    def forward(self, tokens: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        if tokens.size(1) > self.max_len:
            raise ValueError(f"at most {self.max_len} tokens")
        h = self.embedding(tokens) * self.d_model**0.5 + sinusoids(tokens.size(1), self.d_model)
        h = F.dropout(h, self.p, self.training)
        for layer in self.layers:
            h = layer(h, attention_mask)
        return h


# %% table_with_one_more_row
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
