def point_wise_dense(units_in, units_out):
    """tf.keras.layers.Dense: glorot kernel, zero bias."""
    dense = nn.Linear(units_in, units_out)
    nn.init.xavier_uniform_(dense.weight)
    nn.init.zeros_(dense.bias)
    return dense


class PositionWiseFeedForward(nn.Sequential):
    """The same two-layer network at every position."""

    def __init__(self, d_model: int, d_ff: int):
        super().__init__()
        self.add_module("linear1", point_wise_dense(d_model, d_ff))
        self.add_module("relu", nn.ReLU())
        self.add_module("linear2", point_wise_dense(d_ff, d_model))
