class PositionWiseFeedForward(nn.Sequential):
    r"""Applies :math:`\text{FFN}(x) = \max(0, x W_1^T + b_1) W_2^T + b_2` to every position.

    Args:
        d_model: size of each input and output sample
        d_ff: size of the hidden layer

    Shape:
        - Input: :math:`(*, d_{model})`
        - Output: :math:`(*, d_{model})`, same shape as the input
    """

    __constants__ = ["d_model", "d_ff"]
    d_model: int
    d_ff: int

    def __init__(self, d_model: int, d_ff: int, device=None, dtype=None) -> None:
        factory_kwargs = {"device": device, "dtype": dtype}
        super().__init__()
        self.d_model = d_model
        self.d_ff = d_ff
        self.add_module("linear1", nn.Linear(d_model, d_ff, **factory_kwargs))
        self.add_module("relu", nn.ReLU())
        self.add_module("linear2", nn.Linear(d_ff, d_model, **factory_kwargs))

    def extra_repr(self) -> str:
        return f"d_model={self.d_model}, d_ff={self.d_ff}"
