class PositionWiseFeedForward(nn.Sequential):

    def __init__(self, d_model: int, d_ff: int):
        super().__init__()
        self.linear1 = nn.Linear(d_model, d_ff)  # c_fc
        self.relu    = nn.ReLU()
        self.linear2 = nn.Linear(d_ff, d_model)  # c_proj
