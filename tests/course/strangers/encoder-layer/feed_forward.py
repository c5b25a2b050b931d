# %% wrong_a001
#: Dropout that nobody asked for stands between ReLU and the second linear layer, so in training
#: the answer is random.
#: named: hidden_dropout
class PositionWiseFeedForward(nn.Sequential):
    "w2(dropout(relu(w1(x))))"

    def __init__(self, d_model: int, d_ff: int):
        super().__init__()
        self.linear1 = nn.Linear(d_model, d_ff)
        self.relu = nn.ReLU()
        self.dropout = nn.Dropout(0.1)   # against overfitting, like in the original implementation
        self.linear2 = nn.Linear(d_ff, d_model)


# %% wrong_a002
#: A forward of its own adds the input again, although the residual belongs to the encoder layer.
#: named: residual_inside
class PositionWiseFeedForward(nn.Sequential):
    def __init__(self, d_model: int, d_ff: int):
        super(PositionWiseFeedForward, self).__init__()
        self.linear1 = nn.Linear(d_model, d_ff)
        self.relu = nn.ReLU()
        self.linear2 = nn.Linear(d_ff, d_model)

    def forward(self, invoer):
        uitvoer = invoer
        for laag in self:
            uitvoer = laag(uitvoer)
        # de restverbinding, anders verdwijnt het signaal
        return invoer + uitvoer


# %% wrong_a003
#: Both linear layers are built without a bias, while equation 2 of the paper has b1 and b2.
#: named: no_bias
from collections import OrderedDict

class PositionWiseFeedForward(nn.Sequential):
    """Modern style: biases are dropped in big models anyway."""

    def __init__(self, d_model: int, d_ff: int) -> None:
        super().__init__(OrderedDict(
            linear1=nn.Linear(d_model, d_ff, bias=False),
            relu=nn.ReLU(),
            linear2=nn.Linear(d_ff, d_model, bias=False),
        ))


# %% right_a004
class PositionWiseFeedForward(nn.Sequential):
    def __init__(self, d_model: int, d_ff: int):
        breiten = (d_model, d_ff, d_model)
        schichten = [nn.Linear(rein, raus) for rein, raus in zip(breiten, breiten[1:])]
        schichten.insert(1, nn.Threshold(0.0, 0.0))   # alles unter null wird null
        super().__init__(*schichten)


# %% wrong_b076
#: A dropout stands between the layers: in training the layer draws random numbers, which is not in
#: the equation.
#: named: hidden_dropout
class PositionWiseFeedForward(nn.Sequential):
    """The same two-layer network at every position."""

    def __init__(self, d_model: int, d_ff: int, dropout: float = 0.1):
        super().__init__()
        self.linear1 = nn.Linear(d_model, d_ff)
        self.relu = nn.ReLU()
        self.dropout = nn.Dropout(dropout)
        self.linear2 = nn.Linear(d_ff, d_model)


# %% wrong_b077
#: A ReLU follows the second linear layer as well, so no output is negative.
#: named: relu_behind_the_second_linear
class PositionWiseFeedForward(nn.Sequential):
    def __init__(self, d_model: int, d_ff: int):
        super().__init__()
        sizes = [d_model, d_ff, d_model]
        for k, (n_in, n_out) in enumerate(zip(sizes[:-1], sizes[1:]), start=1):
            self.add_module(f"linear{k}", nn.Linear(n_in, n_out))
            self.add_module("relu" if k == 1 else f"relu{k}", nn.ReLU())


# %% right_b078
class PositionWiseFeedForward(nn.Sequential):
    def __init__(self, d_model: int, d_ff: int):
        widen, narrow = nn.Linear(d_model, d_ff, bias=True), nn.Linear(d_ff, d_model, bias=True)
        super().__init__(widen, nn.ReLU(inplace=True), narrow)

    def forward(self, x: Tensor) -> Tensor:
        for step in self:
            x = step(x)
        return x
