import numpy as np


def get_angles(pos, i, d_model):
    angle_rates = 1 / np.power(10000, (2 * (i // 2)) / np.float32(d_model))
    return pos * angle_rates


def positional_encoding(position, d_model):
    angle_rads = get_angles(
        np.arange(position)[:, np.newaxis], np.arange(d_model)[np.newaxis, :], d_model
    )
    sines = np.sin(angle_rads[:, 0::2])
    cosines = np.cos(angle_rads[:, 1::2])
    pos_encoding = np.stack([sines, cosines], axis=-1).reshape(position, d_model)
    return torch.from_numpy(pos_encoding[np.newaxis, ...]).to(torch.float32)


class Encoder(nn.Module):
    """Embedding times sqrt(d_model), plus positions, dropout, then num_layers encoder layers."""

    def __init__(
        self, vocab_size: int, d_model: int, num_heads: int, d_ff: int, num_layers: int,
        dropout: float = 0.1, max_len: int = 512,
    ):
        super().__init__()
        self.d_model = d_model
        self.num_layers = num_layers
        self.embedding = nn.Embedding(vocab_size, d_model)
        nn.init.uniform_(self.embedding.weight, -0.05, 0.05)  # the Keras default
        self.pos_encoding = positional_encoding(max_len, d_model)
        self.layers = nn.ModuleList()
        for _ in range(num_layers):
            self.layers.append(EncoderLayer(d_model, num_heads, d_ff, dropout))
        self.dropout = nn.Dropout(dropout)

    def forward(self, tokens: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        seq_len = tokens.shape[1]
        x = self.embedding(tokens)
        x = x * torch.sqrt(torch.tensor(self.d_model, dtype=x.dtype))
        x = x + self.pos_encoding[:, :seq_len, :].to(x)
        x = self.dropout(x)
        for i in range(self.num_layers):
            x = self.layers[i](x, attention_mask)
        return x
