from dataclasses import dataclass

from torch import Tensor, nn


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
