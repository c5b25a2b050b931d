from torch import nn
from torch.nn import functional as F

def affine(n_in: int, n_out: int) -> nn.Linear:
    return nn.Linear(in_features=n_in, out_features=n_out)


class ReLU(nn.Module):
    forward = staticmethod(F.relu)


class PositionWiseFeedForward(nn.Sequential):
    def __init__(self, d_model: int, d_ff: int):
        super().__init__()
        parts = dict(linear1=affine(d_model, d_ff), relu=ReLU(), linear2=affine(d_ff, d_model))
        for name, part in parts.items():
            setattr(self, name, part)
