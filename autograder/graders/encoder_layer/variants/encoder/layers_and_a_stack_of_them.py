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
