from torch import Tensor, nn


def linear_relu(d_in: int, d_out: int) -> nn.Sequential:
    return nn.Sequential(nn.Linear(d_in, d_out), nn.ReLU())


class PositionWiseFeedForward(nn.Sequential):
    def __init__(self, d_model: int, d_ff: int):
        super().__init__()
        self.expand = linear_relu(d_model, d_ff)
        self.contract = nn.Linear(d_ff, d_model)

    def forward(self, x: Tensor) -> Tensor:
        hidden = self.expand(x)
        return self.contract(hidden)
