from torch import nn

class PositionWiseFeedForward(nn.Sequential):
    def __init__(self, d_model: int, d_ff: int):
        nn.Module.__init__(self)
        for name, m in zip(
            ["linear1", "relu", "linear2"],
            [nn.Linear(d_model, d_ff), nn.ReLU(), nn.Linear(d_ff, d_model)],
        ):
            setattr(self, name, m)
