import math

import torch
from torch import Tensor, nn
from torch.nn import functional as F


class SinusoidalPositionalEmbedding(nn.Module):
    def __init__(self, embedding_dim, init_size):
        super().__init__()
        self.register_buffer(
            "weights", self.get_embedding(init_size, embedding_dim), persistent=False
        )

    @staticmethod
    def get_embedding(num_embeddings, embedding_dim):
        half_dim = embedding_dim // 2
        emb = math.log(10000) / half_dim
        emb = torch.exp(torch.arange(half_dim, dtype=torch.float) * -emb)
        emb = torch.arange(num_embeddings, dtype=torch.float).unsqueeze(1) * emb.unsqueeze(0)
        return torch.stack([torch.sin(emb), torch.cos(emb)], dim=2).view(num_embeddings, -1)

    def forward(self, input):
        bsz, seq_len = input.size()
        positions = torch.arange(seq_len, device=input.device).expand(bsz, seq_len)
        return self.weights.index_select(0, positions.reshape(-1)).view(bsz, seq_len, -1).detach()


class Encoder(nn.Module):
    def __init__(
        self, vocab_size: int, d_model: int, num_heads: int, d_ff: int, num_layers: int,
        dropout: float = 0.1, max_len: int = 512,
    ):
        super().__init__()
        self.embed_scale = math.sqrt(d_model)
        self.embedding = nn.Embedding(vocab_size, d_model)
        nn.init.normal_(self.embedding.weight, mean=0, std=d_model ** -0.5)
        self.embed_positions = SinusoidalPositionalEmbedding(d_model, init_size=max_len)
        self.dropout_p = dropout
        self.layers = nn.ModuleList([])
        self.layers.extend(
            [self.build_encoder_layer(d_model, num_heads, d_ff) for i in range(num_layers)]
        )

    def build_encoder_layer(self, embed_dim, num_heads, ffn_dim):
        return EncoderLayer(embed_dim, num_heads, ffn_dim, dropout=self.dropout_p)

    def forward(self, tokens: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        x = self.embedding(tokens)
        x.mul_(self.embed_scale).add_(self.embed_positions(tokens))
        x = F.dropout(x, p=self.dropout_p, training=self.training)
        for layer in self.layers:
            x = layer(x, attention_mask=attention_mask)
        return x
