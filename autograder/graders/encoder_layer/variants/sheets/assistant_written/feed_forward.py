class PositionWiseFeedForward(nn.Sequential):
    """Position-wise feed-forward network.

    Applies ``linear2(relu(linear1(x)))`` independently to every position.

    Args:
        d_model: Dimensionality of the input and of the output.
        d_ff: Dimensionality of the hidden layer.

    Raises:
        ValueError: If one of the sizes is not positive.
    """

    def __init__(self, d_model: int, d_ff: int):
        super().__init__()
        if d_model <= 0 or d_ff <= 0:
            raise ValueError(f"d_model and d_ff must be positive, got {d_model} and {d_ff}")

        # 1. Expand
        self.linear1 = nn.Linear(d_model, d_ff)
        # 2. Non-linearity
        self.relu = nn.ReLU()
        # 3. Project back
        self.linear2 = nn.Linear(d_ff, d_model)
