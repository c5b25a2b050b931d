from torch import nn

class PositionWiseFeedForward(nn.Sequential):
    """The same two-layer network at every position."""

    def __init__(self, d_model: int, d_ff: int) -> None:
        super(PositionWiseFeedForward, self).__init__()
        self._d_model: int = d_model
        self._d_ff: int = d_ff
        self.linear1: nn.Linear = nn.Linear(in_features=d_model, out_features=d_ff, bias=True)
        self.relu: nn.ReLU = nn.ReLU(inplace=False)
        self.linear2: nn.Linear = nn.Linear(in_features=d_ff, out_features=d_model, bias=True)

    def get_d_model(self) -> int:
        return self._d_model

    def get_d_ff(self) -> int:
        return self._d_ff
