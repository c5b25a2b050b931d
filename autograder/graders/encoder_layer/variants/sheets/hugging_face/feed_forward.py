from dataclasses import dataclass


@dataclass
class FeedForwardConfig:
    hidden_size: int
    intermediate_size: int


class PositionWiseFeedForward(nn.Sequential):
    """The same two-layer network at every position."""

    def __init__(self, d_model: int, d_ff: int):
        super().__init__()
        config = FeedForwardConfig(hidden_size=d_model, intermediate_size=d_ff)
        self.linear1 = nn.Linear(config.hidden_size, config.intermediate_size)
        self.relu = nn.ReLU()
        self.linear2 = nn.Linear(config.intermediate_size, config.hidden_size)
