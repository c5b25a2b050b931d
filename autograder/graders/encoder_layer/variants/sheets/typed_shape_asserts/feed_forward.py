from typing import Final

from jaxtyping import Float


class PositionWiseFeedForward(nn.Sequential):
    linear1: nn.Linear
    relu: nn.ReLU
    linear2: nn.Linear

    def __init__(self, d_model: int, d_ff: int) -> None:
        assert d_model > 0 and d_ff > 0, (d_model, d_ff)
        super().__init__()
        self.d_model: Final[int] = d_model
        self.linear1 = nn.Linear(d_model, d_ff, bias=True)
        self.relu = nn.ReLU(inplace=False)
        self.linear2 = nn.Linear(d_ff, d_model, bias=True)

    def forward(self, x: Float[Tensor, "*batch d_model"]) -> Float[Tensor, "*batch d_model"]:
        assert x.shape[-1] == self.d_model, (tuple(x.shape), self.d_model)
        y = super().forward(x)
        assert y.shape == x.shape
        return y
