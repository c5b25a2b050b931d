# %% attention
def create_padding_mask(attention_mask, rank):
    # TensorFlow tutorial convention: 1 = must NOT be looked at
    mask = 1.0 - attention_mask.float()
    while mask.dim() < rank:
        mask = mask.unsqueeze(1)
    return mask


def create_look_ahead_mask(size_q, size_k):
    return 1.0 - torch.tril(torch.ones(size_q, size_k))


class Attention(nn.Module):
    """Scaled dot-product attention; with mask_future query i sees key j only if j <= i."""

    def __init__(self, mask_future: bool = False):
        super().__init__()
        self.mask_future = mask_future

    def call(self, q, k, v, mask):
        matmul_qk = torch.matmul(q, torch.transpose(k, -2, -1))
        dk = torch.tensor(k.shape[-1], dtype=matmul_qk.dtype)
        scaled_attention_logits = matmul_qk / torch.sqrt(dk)
        if mask is not None:
            scaled_attention_logits = scaled_attention_logits + mask.to(matmul_qk.dtype) * -1e9
        attention_weights = F.softmax(scaled_attention_logits, dim=-1)
        return torch.matmul(attention_weights, v)

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, attention_mask: Tensor | None = None
    ) -> Tensor:
        mask = None
        if attention_mask is not None:
            mask = create_padding_mask(attention_mask, query.dim())
        if self.mask_future:
            look_ahead = create_look_ahead_mask(query.shape[-2], key.shape[-2])
            mask = look_ahead if mask is None else torch.maximum(mask, look_ahead)
        return self.call(query, key, value, mask)


# %% encoder
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


# %% encoder_layer
class LayerNormalization(nn.Module):
    """tf.keras.layers.LayerNormalization(axis=-1)"""

    def __init__(self, units, epsilon=1e-6):
        super().__init__()
        self.epsilon = epsilon
        self.gamma = nn.Parameter(torch.ones(units))
        self.beta = nn.Parameter(torch.zeros(units))

    def forward(self, inputs):
        mean = torch.mean(inputs, dim=-1, keepdim=True)
        variance = torch.mean(torch.square(inputs - mean), dim=-1, keepdim=True)
        return self.gamma * (inputs - mean) * torch.rsqrt(variance + self.epsilon) + self.beta


class EncoderLayer(nn.Module):
    """Self-attention, then feed forward, each with dropout, residual and layer norm."""

    def __init__(self, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.1):
        super().__init__()
        rate = dropout
        self.self_attention = MultiHeadAttention(d_model=d_model, num_heads=num_heads)
        self.feature_transformation = PositionWiseFeedForward(d_model=d_model, d_ff=d_ff)
        self.layer_norm_1 = LayerNormalization(d_model)
        self.layer_norm_2 = LayerNormalization(d_model)
        self.dropout1, self.dropout2 = (nn.Dropout(p=rate) for _ in range(2))

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        attn_output = self.self_attention(query=x, key=x, value=x, attention_mask=attention_mask)
        attn_output = self.dropout1(attn_output)
        out1 = self.layer_norm_1(x + attn_output)
        ffn_output = self.feature_transformation(out1)
        ffn_output = self.dropout2(ffn_output)
        return self.layer_norm_2(out1 + ffn_output)


# %% feed_forward
def point_wise_dense(units_in, units_out):
    """tf.keras.layers.Dense: glorot kernel, zero bias."""
    dense = nn.Linear(units_in, units_out)
    nn.init.xavier_uniform_(dense.weight)
    nn.init.zeros_(dense.bias)
    return dense


class PositionWiseFeedForward(nn.Sequential):
    """The same two-layer network at every position."""

    def __init__(self, d_model: int, d_ff: int):
        super().__init__()
        self.add_module("linear1", point_wise_dense(d_model, d_ff))
        self.add_module("relu", nn.ReLU())
        self.add_module("linear2", point_wise_dense(d_ff, d_model))


# %% multi_head_attention
class MultiHeadAttention(nn.Module):
    """Attention in num_heads heads of d_k = d_model / num_heads features each."""

    def __init__(self, d_model: int, num_heads: int, mask_future: bool = False):
        super().__init__()
        if d_model % num_heads:
            raise ValueError("d_model must be divisible by num_heads")
        self.d_model = d_model
        self.num_heads = num_heads
        self.depth = d_model // num_heads

        self.wq = nn.Linear(d_model, d_model, bias=False)
        self.wk = nn.Linear(d_model, d_model, bias=False)
        self.wv = nn.Linear(d_model, d_model, bias=False)
        self.dense = nn.Linear(d_model, d_model, bias=False)
        for kernel in (self.wq, self.wk, self.wv, self.dense):
            nn.init.xavier_uniform_(kernel.weight)
        self.attention = Attention(mask_future)

    def split_heads(self, x, batch_size):
        x = torch.reshape(x, (batch_size, -1, self.num_heads, self.depth))
        return torch.permute(x, (0, 2, 1, 3))

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, attention_mask: Tensor | None = None
    ) -> Tensor:
        batch_size = query.shape[0]
        q = self.split_heads(self.wq(query), batch_size)
        k = self.split_heads(self.wk(key), batch_size)
        v = self.split_heads(self.wv(value), batch_size)
        scaled_attention = self.attention(q, k, v, attention_mask)
        scaled_attention = torch.permute(scaled_attention, (0, 2, 1, 3))
        concat_attention = torch.reshape(scaled_attention, (batch_size, -1, self.d_model))
        return self.dense(concat_attention)
