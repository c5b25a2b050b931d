import torch.nn as nn


class PositionWiseFeedForward(nn.Sequential):
    def __init__(self, d_in: int, d_hidden: int) -> None:
        layers = [nn.Linear(d_in, d_hidden), nn.ReLU(inplace=True), nn.Linear(d_hidden, d_in)]
        super().__init__(*layers)
