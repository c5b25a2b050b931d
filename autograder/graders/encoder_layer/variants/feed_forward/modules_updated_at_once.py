from torch import nn

class PositionWiseFeedForward(nn.Sequential):
    def __init__(self, d_model: int, d_ff: int):
        super().__init__()
        self._modules |= dict(linear1=nn.Linear(d_model, d_ff), relu=nn.ReLU(), linear2=nn.Linear(d_ff, d_model))
