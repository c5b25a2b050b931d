import torch
from torch import Tensor, nn


class SubLayerDropout(nn.Module):
    """A dropout that refuses a senseless rate."""

    def __init__(self, rate: float) -> None:
        super().__init__()
        if not 0.0 <= rate < 1.0:
            raise ValueError("dropout must lie in [0, 1), not " + str(rate))
        self._delegate = nn.Dropout(rate)

    def forward(self, x: Tensor) -> Tensor:
        return self._delegate(x)


class EncoderLayer(nn.Module):
    """Self-attention, then feed forward, each with dropout, residual and layer norm."""

    def __init__(self, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.1) -> None:
        super(EncoderLayer, self).__init__()
        self.self_attention = MultiHeadAttention(d_model=d_model, num_heads=num_heads)
        self.feature_transformation = PositionWiseFeedForward(d_model=d_model, d_ff=d_ff)
        self.layer_norm_1 = nn.LayerNorm(normalized_shape=[d_model])
        self.layer_norm_2 = nn.LayerNorm(normalized_shape=[d_model])
        self._dropout = SubLayerDropout(dropout)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        z: Tensor = self.__attention_step(x, attention_mask)
        return self.__feed_forward_step(z)

    def __attention_step(self, x: Tensor, attention_mask: Tensor | None) -> Tensor:
        attended: Tensor = self.self_attention(
            query=x, key=x, value=x, attention_mask=attention_mask
        )
        return self.layer_norm_1(torch.add(x, self._dropout(attended)))

    def __feed_forward_step(self, z: Tensor) -> Tensor:
        transformed: Tensor = self.feature_transformation(z)
        return self.layer_norm_2(torch.add(z, self._dropout(transformed)))
