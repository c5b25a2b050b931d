# %% wrong_b020
#: The member called relu is a GELU; members made in another order.
#: named: another_activation
class PositionWiseFeedForward(nn.Sequential):
    """The same two-layer network at every position."""

    def __init__(self, d_model: int, d_ff: int):
        super().__init__()
        narrow = nn.Linear(d_ff, d_model)
        widen = nn.Linear(d_model, d_ff)
        for name, module in (("linear1", widen), ("relu", nn.GELU()), ("linear2", narrow)):
            self.add_module(name, module)
