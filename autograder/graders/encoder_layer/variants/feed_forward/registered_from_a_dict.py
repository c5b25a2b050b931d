from torch import nn

class PositionWiseFeedForward(nn.Sequential):
    def __init__(self, d_model: int, d_ff: int):
        # b n d -> b n f -> b n d
        super().__init__()
        sizes = {"linear1": (d_model, d_ff), "relu": None, "linear2": (d_ff, d_model)}
        for name, size in sizes.items():
            self.register_module(name, nn.Linear(*size) if size else nn.ReLU())
