class PositionWiseFeedForward(nn.Sequential):
    """FFN(x) = W2 relu(W1 x + b1) + b2, tokenwise."""

    def __init__(self, d_model: int, d_ff: int):
        super().__init__()
        self.linear1 = nn.Linear(d_model, d_ff)
        self.relu = nn.ReLU(inplace=True)
        self.linear2 = nn.Linear(d_ff, d_model)
