class PositionWiseFeedForward(nn.Sequential):
    def __init__(self, d_model: int, d_ff: int):
        nn.Sequential.__init__(self)
        names = ["linear1", "relu", "linear2"]
        parts = [None, None, None]
        parts[0] = nn.Linear(d_model, d_ff)
        parts[1] = nn.ReLU()
        parts[2] = nn.Linear(d_ff, d_model)
        for i in range(0, 3):
            self.add_module(names[i], parts[i])
