# %% attention
def get_extended_attention_mask(attention_mask: Tensor, num_dims: int, dtype: torch.dtype) -> Tensor:
    """0 where a key may be attended, the smallest number of the dtype where it may not."""
    extended_attention_mask = attention_mask[(slice(None),) + (None,) * (num_dims - 2)]
    extended_attention_mask = extended_attention_mask.to(dtype)
    return (1.0 - extended_attention_mask) * torch.finfo(dtype).min


class Attention(nn.Module):
    """Scaled dot-product attention; with mask_future query i sees key j only if j <= i."""

    def __init__(self, mask_future: bool = False):
        super().__init__()
        self.mask_future = mask_future

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, attention_mask: Tensor | None = None
    ) -> Tensor:
        attention_scores = torch.matmul(query, key.transpose(-1, -2))
        attention_scores = attention_scores / math.sqrt(query.shape[-1])

        if attention_mask is not None:
            attention_scores = attention_scores + get_extended_attention_mask(
                attention_mask, attention_scores.dim(), attention_scores.dtype
            )
        if self.mask_future:
            seq_ids_q = torch.arange(query.shape[-2], device=query.device)
            seq_ids_k = torch.arange(key.shape[-2], device=query.device)
            causal_mask = seq_ids_k[None, :] <= seq_ids_q[:, None]
            attention_scores = torch.where(
                causal_mask, attention_scores, torch.finfo(attention_scores.dtype).min
            )

        attention_probs = nn.functional.softmax(attention_scores, dim=-1)
        context_layer = torch.matmul(attention_probs, value)
        return context_layer


# %% encoder
from types import SimpleNamespace


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


# %% encoder_layer
from dataclasses import dataclass


@dataclass
class EncoderLayerConfig:
    hidden_size: int
    num_attention_heads: int
    intermediate_size: int
    hidden_dropout_prob: float = 0.1
    layer_norm_eps: float = 1e-12


class SubLayerOutput(nn.Module):
    """What happens to the output of a sub-layer before the residual is added."""

    def __init__(self, config: EncoderLayerConfig):
        super().__init__()
        self.dropout = nn.Dropout(config.hidden_dropout_prob)

    def forward(self, hidden_states: Tensor) -> Tensor:
        return self.dropout(hidden_states)


class SelfAttentionBlock(nn.Module):
    def __init__(self, config: EncoderLayerConfig):
        super().__init__()
        self.self = MultiHeadAttention(config.hidden_size, config.num_attention_heads)
        self.output = SubLayerOutput(config)

    def forward(self, hidden_states: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        self_output = self.self(hidden_states, hidden_states, hidden_states, attention_mask)
        return self.output(self_output)


class FeedForwardBlock(nn.Module):
    def __init__(self, config: EncoderLayerConfig):
        super().__init__()
        self.intermediate = PositionWiseFeedForward(config.hidden_size, config.intermediate_size)
        self.output = SubLayerOutput(config)

    def forward(self, hidden_states: Tensor) -> Tensor:
        return self.output(self.intermediate(hidden_states))


class EncoderLayer(nn.Module):
    """Self-attention, then feed forward, each with dropout, residual and layer norm."""

    def __init__(self, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.1):
        super().__init__()
        config = EncoderLayerConfig(
            hidden_size=d_model,
            num_attention_heads=num_heads,
            intermediate_size=d_ff,
            hidden_dropout_prob=dropout,
        )
        self.config = config
        self.self_attention = SelfAttentionBlock(config)
        self.feature_transformation = FeedForwardBlock(config)
        self.layer_norm_1 = nn.LayerNorm(config.hidden_size, eps=config.layer_norm_eps)
        self.layer_norm_2 = nn.LayerNorm(config.hidden_size, eps=config.layer_norm_eps)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        hidden_states = x

        residual = hidden_states
        hidden_states = self.self_attention(hidden_states, attention_mask=attention_mask)
        hidden_states = self.layer_norm_1(hidden_states + residual)

        residual = hidden_states
        hidden_states = self.feature_transformation(hidden_states)
        hidden_states = self.layer_norm_2(hidden_states + residual)
        return hidden_states


# %% feed_forward
from dataclasses import dataclass


@dataclass
class FeedForwardConfig:
    hidden_size: int
    intermediate_size: int


class PositionWiseFeedForward(nn.Sequential):
    """The same two-layer network at every position."""

    def __init__(self, d_model: int, d_ff: int):
        super().__init__()
        config = FeedForwardConfig(hidden_size=d_model, intermediate_size=d_ff)
        self.linear1 = nn.Linear(config.hidden_size, config.intermediate_size)
        self.relu = nn.ReLU()
        self.linear2 = nn.Linear(config.intermediate_size, config.hidden_size)


# %% multi_head_attention
class MultiHeadAttention(nn.Module):
    """Attention in num_heads heads of d_k = d_model / num_heads features each."""

    def __init__(self, d_model: int, num_heads: int, mask_future: bool = False):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError(
                f"The hidden size ({d_model}) is not a multiple of the number of attention "
                f"heads ({num_heads})"
            )
        self.num_attention_heads = num_heads
        self.attention_head_size = int(d_model / num_heads)
        self.all_head_size = self.num_attention_heads * self.attention_head_size

        self.query = nn.Linear(d_model, self.all_head_size, bias=False)
        self.key = nn.Linear(d_model, self.all_head_size, bias=False)
        self.value = nn.Linear(d_model, self.all_head_size, bias=False)
        self.dense = nn.Linear(self.all_head_size, d_model, bias=False)
        self.attention = Attention(mask_future=mask_future)

    def transpose_for_scores(self, x: Tensor) -> Tensor:
        new_x_shape = x.size()[:-1] + (self.num_attention_heads, self.attention_head_size)
        return x.view(new_x_shape).permute(0, 2, 1, 3)

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, attention_mask: Tensor | None = None
    ) -> Tensor:
        query_layer = self.transpose_for_scores(self.query(query))
        key_layer = self.transpose_for_scores(self.key(key))
        value_layer = self.transpose_for_scores(self.value(value))

        context_layer = self.attention(query_layer, key_layer, value_layer, attention_mask)

        context_layer = context_layer.permute(0, 2, 1, 3).contiguous()
        new_context_layer_shape = context_layer.size()[:-2] + (self.all_head_size,)
        return self.dense(context_layer.view(new_context_layer_shape))
