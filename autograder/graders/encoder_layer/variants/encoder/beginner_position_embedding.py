import math

import numpy as np
import torch
from torch import Tensor, nn


class Encoder(nn.Module):
    def __init__(
        self, vocab_size: int, d_model: int, num_heads: int, d_ff: int, num_layers: int,
        dropout: float = 0.1, max_len: int = 512,
    ):
        super(Encoder, self).__init__()
        self.d_model = d_model
        self.max_len = max_len

        # the words
        self.embedding = nn.Embedding(vocab_size, d_model)

        # the positions (an embedding which is never trained)
        position_table = np.zeros((max_len, d_model))
        for pos in range(max_len):
            for feature in range(d_model):
                if feature % 2 == 0:
                    two_i = feature
                    angle = pos / (10000 ** (two_i / d_model))
                    position_table[pos, feature] = np.sin(angle)
                else:
                    two_i = feature - 1
                    angle = pos / (10000 ** (two_i / d_model))
                    position_table[pos, feature] = np.cos(angle)
        position_tensor = torch.from_numpy(position_table).float()
        self.position_embedding = nn.Embedding.from_pretrained(position_tensor, freeze=True)

        # dropout
        self.dropout = nn.Dropout(dropout)

        # the layers
        list_of_layers = []
        for layer_number in range(num_layers):
            new_layer = EncoderLayer(d_model, num_heads, d_ff, dropout)
            list_of_layers.append(new_layer)
        self.layers = nn.ModuleList(list_of_layers)

    def forward(self, tokens: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        batch_size = tokens.shape[0]
        sequence_length = tokens.shape[1]

        # embed the words
        embedded = self.embedding(tokens)
        factor = math.sqrt(self.d_model)
        embedded = embedded * factor

        # embed the positions
        position_numbers = torch.arange(sequence_length, device=tokens.device)
        position_numbers = position_numbers.unsqueeze(0)
        position_numbers = position_numbers.expand(batch_size, sequence_length)
        positions = self.position_embedding(position_numbers)

        # add and drop
        x = embedded + positions
        x = self.dropout(x)

        # go through all layers
        for layer in self.layers:
            x = layer(x, attention_mask)
        output = x
        return output
