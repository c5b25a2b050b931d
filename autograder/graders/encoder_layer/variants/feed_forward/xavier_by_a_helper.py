from torch import nn

def build_fc(input_dim, output_dim):
    fc = nn.Linear(input_dim, output_dim)
    nn.init.xavier_uniform_(fc.weight)
    nn.init.constant_(fc.bias, 0.0)
    return fc


class PositionWiseFeedForward(nn.Sequential):
    def __init__(self, d_model: int, d_ff: int):
        super().__init__()
        self.linear1 = build_fc(d_model, d_ff)
        self.relu = nn.ReLU(inplace=True)
        self.linear2 = build_fc(d_ff, d_model)
