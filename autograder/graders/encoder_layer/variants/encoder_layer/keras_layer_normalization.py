import torch
from torch import Tensor, nn


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
