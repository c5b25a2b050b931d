class PositionWiseFeedForward(nn.Sequential):
    def __init__(self, d_model: int, d_ff: int):
        super(PositionWiseFeedForward, self).__init__()

        # first layer makes it bigger
        input_size = d_model
        hidden_size = d_ff
        output_size = d_model
        self.linear1 = nn.Linear(input_size, hidden_size)

        # activation
        self.relu = nn.ReLU()

        # second layer makes it smaller again
        self.linear2 = nn.Linear(hidden_size, output_size)
