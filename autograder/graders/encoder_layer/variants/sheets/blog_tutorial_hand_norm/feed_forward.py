# Every token walks alone through the same little network: widen, bend, narrow.
# Since we inherit from nn.Sequential, a dict of the parts is all it takes.
from collections import OrderedDict


class PositionWiseFeedForward(nn.Sequential):
    "Implements the FFN equation of section 3.3."

    def __init__(self, d_model: int, d_ff: int):
        super().__init__(
            OrderedDict(
                [
                    ("linear1", nn.Linear(d_model, d_ff)),
                    ("relu", nn.ReLU()),
                    ("linear2", nn.Linear(d_ff, d_model)),
                ]
            )
        )
