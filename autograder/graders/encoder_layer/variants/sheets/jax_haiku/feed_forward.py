from collections import OrderedDict


class PositionWiseFeedForward(nn.Sequential):
    """The same two-layer network at every position."""

    def __init__(self, d_model: int, d_ff: int):
        super().__init__(OrderedDict(
            linear1=nn.Linear(d_model, d_ff),
            relu=nn.ReLU(),
            linear2=nn.Linear(d_ff, d_model),
        ))
