# %% wrong_a033
#: The exponent is i / d_model instead of 2i / d_model for the pair i: the slowest wave only gets
#: to the root of 10000.
#: named: wrong_angle
class Encoder(nn.Module):
    """Embedding times sqrt(d_model), plus positions, dropout, then num_layers encoder layers."""

    def __init__(
        self, vocab_size: int, d_model: int, num_heads: int, d_ff: int, num_layers: int,
        dropout: float = 0.1, max_len: int = 512,
    ):
        super().__init__()
        self.d_model = d_model
        self.embedding = nn.Embedding(vocab_size, d_model)
        self.layers = nn.ModuleList(
            [EncoderLayer(d_model, num_heads, d_ff, dropout) for _ in range(num_layers)])
        self.dropout = nn.Dropout(dropout)

        pair = torch.arange(d_model // 2)                       # i = 0, 1, 2, ...
        speed = torch.exp(-pair * math.log(10000.0) / d_model)
        angle = torch.arange(max_len)[:, None] * speed[None, :]
        pe = torch.zeros(max_len, d_model)
        pe[:, 0::2] = angle.sin()
        pe[:, 1::2] = angle.cos()
        self.register_buffer("pe", pe)

    def forward(self, tokens: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        x = self.embedding(tokens) * math.sqrt(self.d_model)
        x = self.dropout(x + self.pe[:tokens.shape[1]])
        for layer in self.layers:
            x = layer(x, attention_mask)
        return x


# %% wrong_a034
#: Sines fill the first half of the features and cosines the second half, instead of even and odd
#: ones.
#: named: sines_then_cosines
class Encoder(nn.Module):
    def __init__(self, vocab_size, d_model, num_heads, d_ff, num_layers, dropout=0.1, max_len=512):
        super().__init__()
        self.scale = d_model ** 0.5
        self.embedding = nn.Embedding(vocab_size, d_model)
        self.dropout = nn.Dropout(dropout)
        self.layers = nn.ModuleList()
        for _ in range(num_layers):
            self.layers.append(EncoderLayer(d_model, num_heads, d_ff, dropout))
        self.register_buffer('signal', self.get_timing_signal(max_len, d_model))

    @staticmethod
    def get_timing_signal(length, channels):
        depths = torch.arange(0, channels, 2) / channels              # (d_model / 2,)
        angle_rads = torch.arange(length)[:, None] / 10000 ** depths  # (max_len, d_model / 2)
        return torch.cat([angle_rads.sin(), angle_rads.cos()], dim=-1)

    def forward(self, tokens, attention_mask=None):
        x = self.scale * self.embedding(tokens) + self.signal[:tokens.size(1), :]
        x = self.dropout(x)
        for layer in self.layers:
            x = layer(x, attention_mask)
        return x


# %% wrong_a035
#: The sum of embedding and positions is multiplied by sqrt(d_model), not the embedding alone.
#: named: positions_scaled_too
class Encoder(nn.Module):
    """Embedding times sqrt(d_model), plus positions, dropout, then num_layers encoder layers."""

    def __init__(self, vocab_size: int, d_model: int, num_heads: int, d_ff: int, num_layers: int,
                 dropout: float = 0.1, max_len: int = 512):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, d_model)
        tempo = 10000.0 ** (-torch.arange(0, d_model, 2) / d_model)
        katy = torch.outer(torch.arange(max_len).float(), tempo)
        self.register_buffer("pozycje", torch.stack((katy.sin(), katy.cos()), dim=-1).flatten(1))
        self.porzucenie = nn.Dropout(dropout)
        self.layers = nn.ModuleList(EncoderLayer(d_model, num_heads, d_ff, dropout) for _ in range(num_layers))

    def forward(self, tokens: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        wejscie = self.embedding(tokens) + self.pozycje[: tokens.shape[-1]]
        wejscie = self.porzucenie(wejscie * math.sqrt(wejscie.shape[-1]))
        for warstwa in self.layers:
            wejscie = warstwa(wejscie, attention_mask)
        return wejscie


# %% wrong_a036
#: The rate of dropout is not handed on to the layers, which then take their default of 0.1.
#: named: rate_is_not_handed_on
class SinusoidalPositions(nn.Module):
    def __init__(self, d_model: int, max_len: int):
        super().__init__()
        position = torch.arange(max_len, dtype=torch.float).unsqueeze(1)
        rate = torch.exp(-math.log(10000.0) * torch.arange(0, d_model, 2, dtype=torch.float) / d_model)
        table = torch.empty(max_len, d_model)
        table[:, 0::2] = torch.sin(position * rate)
        table[:, 1::2] = torch.cos(position * rate)
        self.register_buffer("table", table, persistent=False)

    def forward(self, x: Tensor) -> Tensor:
        return x + self.table[: x.size(1)]


class Encoder(nn.Module):
    """Embedding times sqrt(d_model), plus positions, dropout, then num_layers encoder layers."""

    def __init__(
        self, vocab_size: int, d_model: int, num_heads: int, d_ff: int, num_layers: int,
        dropout: float = 0.1, max_len: int = 512,
    ):
        super().__init__()
        self.d_model = d_model
        self.embedding = nn.Embedding(vocab_size, d_model)
        self.positions = SinusoidalPositions(d_model, max_len)
        self.dropout = nn.Dropout(dropout)
        self.layers = nn.ModuleList([EncoderLayer(d_model, num_heads, d_ff) for _ in range(num_layers)])

    def forward(self, tokens: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        x = self.dropout(self.positions(self.embedding(tokens) * math.sqrt(self.d_model)))
        for layer in self.layers:
            x = layer(x, attention_mask)
        return x


# %% wrong_a037
#: Token 0 is taken for padding (padding_idx=0): its embedding is zero and never learns, though 0
#: is a token like the others.
#: named: -
class Encoder(nn.Module):
    """Embedding times sqrt(d_model), plus positions, dropout, then num_layers encoder layers."""

    def __init__(
        self, vocab_size: int, d_model: int, num_heads: int, d_ff: int, num_layers: int,
        dropout: float = 0.1, max_len: int = 512,
    ):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, d_model, padding_idx=0)
        self.embed_scale = math.sqrt(d_model)
        self.dropout = nn.Dropout(dropout)
        self.layers = nn.ModuleList([
            EncoderLayer(d_model, num_heads, d_ff, dropout) for _ in range(num_layers)
        ])

        position_ids = torch.arange(max_len).unsqueeze(-1)
        inv_freq = 1.0 / (10000 ** (torch.arange(0, d_model, 2).float() / d_model))
        angles = position_ids * inv_freq
        embeddings = torch.zeros(max_len, d_model)
        embeddings[:, 0::2] = angles.sin()
        embeddings[:, 1::2] = angles.cos()
        self.register_buffer("position_embeddings", embeddings)

    def forward(self, tokens: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        batch_size, seq_length = tokens.shape
        hidden_states = self.embedding(tokens) * self.embed_scale
        hidden_states = hidden_states + self.position_embeddings[None, :seq_length]
        hidden_states = self.dropout(hidden_states)
        for layer_module in self.layers:
            hidden_states = layer_module(hidden_states, attention_mask)
        return hidden_states


# %% wrong_a038
#: The table is indexed by the batch, as in seq-first code: every token of a sequence gets the
#: position of its sequence in the batch.
#: named: positions_of_something_else
class Positions(nn.Module):
    """Table with one extra axis in the middle, so that it can be added to the embedded tokens."""

    def __init__(self, features: int, rows: int):
        super().__init__()
        k = torch.arange(0, features, 2) / features
        phase = torch.arange(rows).unsqueeze(1) / torch.pow(10000.0, k)
        both = torch.stack([torch.sin(phase), torch.cos(phase)], dim=2)       # (rows, features / 2, 2)
        self.register_buffer("table", both.reshape(rows, 1, features))

    def forward(self, embedded: Tensor) -> Tensor:
        length = embedded.size(0)
        return embedded + self.table[:length]


class Encoder(nn.Module):
    def __init__(
        self, vocab_size: int, d_model: int, num_heads: int, d_ff: int, num_layers: int,
        dropout: float = 0.1, max_len: int = 512,
    ):
        super().__init__()
        self.factor = d_model ** 0.5
        self.embedding = nn.Embedding(vocab_size, d_model)
        self.positions = Positions(d_model, max_len)
        self.dropout = nn.Dropout(dropout)
        self.layers = nn.ModuleList([EncoderLayer(d_model, num_heads, d_ff, dropout) for _ in range(num_layers)])

    def forward(self, tokens: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        src = self.dropout(self.positions(self.factor * self.embedding(tokens)))
        for layer in self.layers:
            src = layer(src, attention_mask)
        return src


# %% wrong_a039
#: A third layer norm stands behind the last layer; post-norm layers end with a norm already and
#: none is asked for.
#: named: a_part_too_many
class Encoder(nn.Module):
    """Embedding times sqrt(d_model), plus positions, dropout, then num_layers encoder layers."""

    def __init__(
        self, vocab_size: int, d_model: int, num_heads: int, d_ff: int, num_layers: int,
        dropout: float = 0.1, max_len: int = 512,
    ):
        super().__init__()
        self.n_embd = d_model
        self.embedding = nn.Embedding(vocab_size, d_model)
        self.drop = nn.Dropout(dropout)
        self.layers = nn.ModuleList([EncoderLayer(d_model, num_heads, d_ff, dropout) for _ in range(num_layers)])
        self.ln_f = nn.LayerNorm(d_model)

        pos = torch.arange(max_len, dtype=torch.float32)[:, None]
        freq = 10000 ** (-torch.arange(0, d_model, 2, dtype=torch.float32) / d_model)
        wpe = torch.zeros(max_len, d_model)
        wpe[:, ::2], wpe[:, 1::2] = torch.sin(pos * freq), torch.cos(pos * freq)
        self.register_buffer("wpe", wpe)

    def forward(self, tokens: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        b, t = tokens.size()
        x = self.drop(self.embedding(tokens) * math.sqrt(self.n_embd) + self.wpe[:t])
        for block in self.layers:
            x = block(x, attention_mask)
        return self.ln_f(x)


# %% right_a040
import numpy as np

class Encoder(nn.Module):
    def __init__(self, vocab_size, d_model, num_heads, d_ff, num_layers, dropout=0.1, max_len=512):
        super().__init__()
        sthan = np.arange(max_len, dtype=np.float64).reshape(-1, 1)
        gati = np.power(10000.0, np.arange(0, d_model, 2, dtype=np.float64) / d_model)
        talika = np.empty((max_len, d_model))
        talika[:, 0::2] = np.sin(sthan / gati)
        talika[:, 1::2] = np.cos(sthan / gati)
        self.register_buffer('talika', torch.tensor(talika, dtype=torch.get_default_dtype()))
        parat = [EncoderLayer(d_model, num_heads, d_ff, dropout) for _ in range(num_layers)]
        self.layers = nn.ModuleList(parat)
        self.embedding = nn.Embedding(num_embeddings=vocab_size, embedding_dim=d_model)
        self.girao = nn.Dropout(dropout)
        self.mool = float(np.sqrt(d_model))

    def forward(self, tokens, attention_mask=None):
        h = torch.mul(self.embedding(tokens), self.mool)
        h = torch.add(h, self.talika.narrow(0, 0, tokens.shape[1]).unsqueeze(0))
        h = self.girao(h)
        for ek in self.layers:
            h = ek(h, attention_mask)
        return h


# %% right_a041
from functools import reduce

class Encoder(nn.Module):
    """Embedding times sqrt(d_model), plus positions, dropout, then num_layers encoder layers."""

    def __init__(
        self, vocab_size: int, d_model: int, num_heads: int, d_ff: int, num_layers: int,
        dropout: float = 0.1, max_len: int = 512,
    ):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, d_model)
        self.layers = nn.ModuleList()
        self.layers.extend(EncoderLayer(d_model, num_heads, d_ff, dropout=dropout) for _ in range(num_layers))
        self.dropout = nn.Dropout(dropout)
        rates = 10000.0 ** (-torch.arange(0, d_model, 2, dtype=torch.float64) / d_model)
        angles = torch.arange(max_len, dtype=torch.float64).unsqueeze(1) * rates
        waves = torch.view_as_real(torch.polar(torch.ones_like(angles), angles))      # (..., (cos, sin))
        self.register_buffer("waves", waves.flip(-1).flatten(1).to(torch.get_default_dtype()))

    def forward(self, tokens: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        start = F.embedding(tokens, self.embedding.weight) * math.sqrt(self.embedding.embedding_dim)
        start = self.dropout(start + self.waves[: tokens.shape[1]])
        return reduce(lambda x, layer: layer(x, attention_mask), self.layers, start)


# %% wrong_b096
#: Sines and cosines are put side by side in two halves; even features should be sines and odd ones
#: cosines.
#: named: sines_then_cosines
class Encoder(nn.Module):
    def __init__(
        self, vocab_size: int, d_model: int, num_heads: int, d_ff: int, num_layers: int,
        dropout: float = 0.1, max_len: int = 512,
    ):
        super().__init__()
        self.scale = math.sqrt(d_model)
        self.embedding = nn.Embedding(vocab_size, d_model)
        self.dropout = nn.Dropout(dropout)
        self.layers = nn.ModuleList(
            [EncoderLayer(d_model, num_heads, d_ff, dropout) for _ in range(num_layers)]
        )
        position = torch.arange(max_len).float().unsqueeze(1)
        inv_timescales = torch.exp(-math.log(10000.0) * torch.arange(0, d_model, 2).float() / d_model)
        scaled_time = position * inv_timescales
        signal = torch.cat([torch.sin(scaled_time), torch.cos(scaled_time)], dim=1)
        self.register_buffer("signal", signal)

    def forward(self, tokens: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        x = self.scale * self.embedding(tokens) + self.signal[: tokens.shape[1]]
        x = self.dropout(x)
        for layer in self.layers:
            x = layer(x, attention_mask)
        return x


# %% wrong_b097
#: The layers are built without the dropout rate that was asked for; they take their own default of
#: 0.1.
#: named: rate_is_not_handed_on
class PositionalEncoding(nn.Module):
    def __init__(self, d_model, max_len):
        super().__init__()
        pe = torch.zeros(max_len, d_model)
        pos = torch.arange(0, max_len, dtype=torch.float).unsqueeze(1)
        div = torch.pow(10000.0, torch.arange(0, d_model, 2, dtype=torch.float) / d_model)
        pe[:, 0::2] = torch.sin(pos / div)
        pe[:, 1::2] = torch.cos(pos / div)
        self.register_buffer("pe", pe)

    def forward(self, x):
        return x + self.pe[: x.size(1)]


class Encoder(nn.Module):
    """Embedding times sqrt(d_model), plus positions, dropout, then num_layers encoder layers."""

    def __init__(
        self, vocab_size: int, d_model: int, num_heads: int, d_ff: int, num_layers: int,
        dropout: float = 0.1, max_len: int = 512,
    ):
        super().__init__()
        self.d_model = d_model
        self.embedding = nn.Embedding(vocab_size, d_model)
        self.positions = PositionalEncoding(d_model, max_len)
        self.dropout = nn.Dropout(dropout)
        self.layers = nn.ModuleList()
        for _ in range(num_layers):
            self.layers.append(EncoderLayer(d_model, num_heads, d_ff))

    def forward(self, tokens: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        x = self.embedding(tokens) * math.sqrt(self.d_model)
        x = self.dropout(self.positions(x))
        for layer in self.layers:
            x = layer(x, attention_mask)
        return x


# %% wrong_b098
#: The embedding is made with padding_idx=0: token 0 is a vector of zeros that never learns, though
#: it is a token like any other here.
#: named: -
class Encoder(nn.Module):
    def __init__(
        self, vocab_size: int, d_model: int, num_heads: int, d_ff: int, num_layers: int,
        dropout: float = 0.1, max_len: int = 512,
    ):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, d_model, padding_idx=0)
        self.layers = nn.ModuleList(EncoderLayer(d_model, num_heads, d_ff, dropout) for _ in range(num_layers))
        self.dropout = nn.Dropout(dropout)

        angles = torch.arange(max_len).unsqueeze(1) / 10000 ** (torch.arange(0, d_model, 2) / d_model)
        table = torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(1)      # (max_len, d_model)
        self.register_buffer("table", table, persistent=False)

    def forward(self, tokens: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        seq, d_model = tokens.shape[-1], self.embedding.embedding_dim
        hidden = self.dropout(d_model ** 0.5 * self.embedding(tokens) + self.table[:seq])
        for layer in self.layers:
            hidden = layer(hidden, attention_mask)
        return hidden


# %% wrong_b099
#: The root of d_model multiplies the sum of embedding and positions; it belongs to the embedding
#: alone.
#: named: positions_scaled_too
class Encoder(nn.Module):
    def __init__(
        self, vocab_size: int, d_model: int, num_heads: int, d_ff: int, num_layers: int,
        dropout: float = 0.1, max_len: int = 512,
    ):
        super().__init__()
        self.raiz = math.sqrt(d_model)
        self.embedding = nn.Embedding(vocab_size, d_model)
        self.layers = nn.ModuleList(
            EncoderLayer(d_model, num_heads, d_ff, dropout) for _ in range(num_layers))
        self.apagar = nn.Dropout(dropout)

        tabela = torch.empty(max_len, d_model)
        posicao = torch.arange(max_len, dtype=torch.float32)
        for i in range(0, d_model, 2):
            angulo = posicao / 10000 ** (i / d_model)
            tabela[:, i] = torch.sin(angulo)
            tabela[:, i + 1] = torch.cos(angulo)
        self.register_buffer("tabela", tabela)

    def forward(self, tokens: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        comprimento = tokens.shape[1]
        soma = (self.embedding(tokens) + self.tabela[:comprimento]) * self.raiz
        saida = self.apagar(soma)
        for camada in self.layers:
            saida = camada(saida, attention_mask)
        return saida


# %% right_b100
class Encoder(nn.Module):
    def __init__(
        self, vocab_size: int, d_model: int, num_heads: int, d_ff: int, num_layers: int,
        dropout: float = 0.1, max_len: int = 512,
    ):
        super().__init__()
        build = lambda: EncoderLayer(d_model, num_heads, d_ff, dropout)
        self.layers = nn.ModuleList([build() for _ in range(num_layers)])
        self.embedding = nn.Embedding(vocab_size, d_model)
        self.noise = nn.Dropout(dropout)

        # e^{i angle} = cos + i sin; the paper begins with the sine, so imaginary part first
        rates = 10000.0 ** -(torch.arange(d_model // 2, dtype=torch.float64) * 2 / d_model)
        angles = torch.outer(torch.arange(max_len, dtype=torch.float64), rates)
        waves = torch.view_as_real(torch.polar(torch.ones_like(angles), angles)).flip(-1)
        self.register_buffer("where", waves.reshape(max_len, d_model).float())

    def forward(self, tokens: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        word = self.embedding(tokens)
        stream = torch.add(self.where[: word.size(1)], word, alpha=math.sqrt(word.size(2)))
        stream = self.noise(stream)
        for layer in self.layers:
            stream = layer(stream, attention_mask)
        return stream
