from types import SimpleNamespace
import math

import torch
from torch import Tensor, nn


class ScaledWordEmbedding(nn.Embedding):
    """An nn.Embedding that multiplies what it looks up by embed_scale."""

    def __init__(self, num_embeddings: int, embedding_dim: int, embed_scale: float = 1.0):
        super().__init__(num_embeddings, embedding_dim)
        self.embed_scale = embed_scale

    def forward(self, input_ids: Tensor) -> Tensor:
        return super().forward(input_ids) * self.embed_scale


class SinusoidalPositionalEmbedding(nn.Embedding):
    def __init__(self, num_positions: int, embedding_dim: int):
        super().__init__(num_positions, embedding_dim)
        self.weight.requires_grad = False
        self._init_weight()

    @torch.no_grad()
    def _init_weight(self):
        n_pos, dim = self.weight.shape
        position_ids = torch.arange(n_pos, dtype=torch.float64).unsqueeze(-1)
        inv_freq = 1.0 / (10000 ** (torch.arange(0, dim, 2, dtype=torch.float64) / dim))
        self.weight[:, 0::2] = torch.sin(position_ids * inv_freq).to(self.weight.dtype)
        self.weight[:, 1::2] = torch.cos(position_ids * inv_freq).to(self.weight.dtype)


class Encoder(nn.Module):
    """Embedding times sqrt(d_model), plus positions, dropout, then num_layers encoder layers."""

    def __init__(
        self, vocab_size: int, d_model: int, num_heads: int, d_ff: int, num_layers: int,
        dropout: float = 0.1, max_len: int = 512,
    ):
        super().__init__()
        self.config = SimpleNamespace(
            vocab_size=vocab_size, hidden_size=d_model, num_hidden_layers=num_layers,
            max_position_embeddings=max_len, hidden_dropout_prob=dropout,
        )
        self.embedding = ScaledWordEmbedding(vocab_size, d_model, embed_scale=math.sqrt(d_model))
        self.embed_positions = SinusoidalPositionalEmbedding(max_len, d_model)
        self.dropout = nn.Dropout(self.config.hidden_dropout_prob)
        self.layers = nn.ModuleList(
            [EncoderLayer(d_model, num_heads, d_ff, dropout) for _ in range(num_layers)]
        )
        self.register_buffer("position_ids", torch.arange(max_len).expand((1, -1)), persistent=False)

    def forward(self, tokens: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        input_shape = tokens.size()
        position_ids = self.position_ids[:, : input_shape[-1]]

        hidden_states = self.embedding(tokens) + self.embed_positions(position_ids)
        hidden_states = self.dropout(hidden_states)
        for i, layer_module in enumerate(self.layers):
            layer_outputs = (layer_module(hidden_states, attention_mask),)
            hidden_states = layer_outputs[0]
        return hidden_states
