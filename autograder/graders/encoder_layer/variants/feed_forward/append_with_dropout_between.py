import torch.nn as nn


class PositionWiseFeedForward(nn.Sequential):
    """Linear, ReLU, (dropout,) Linear. Nothing is dropped unless somebody asks for it."""

    def __init__(self, d_model: int, d_ff: int, p: float = 0.0):
        super().__init__()
        self.append(nn.Linear(d_model, d_ff))
        self.append(nn.ReLU())
        self.append(nn.Dropout(p))
        self.append(nn.Linear(d_ff, d_model))
        for module in self:
            if isinstance(module, nn.Linear):
                nn.init.xavier_uniform_(module.weight)
                nn.init.zeros_(module.bias)
