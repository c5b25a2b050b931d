from torch.nn import Linear, ReLU, Sequential


class PositionWiseFeedForward(Sequential):
    def __init__(self, d_model, d_ff):
        super(PositionWiseFeedForward, self).__init__()
        for name, module in {
            "linear1": Linear(d_model, d_ff),
            "relu": ReLU(),
            "linear2": Linear(d_ff, d_model),
        }.items():
            self.add_module(name, module)
