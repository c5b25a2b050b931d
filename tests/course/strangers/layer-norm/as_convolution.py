# %% wrong_a069
#: The convolutions' weights are views of the linear layers' weights: they share memory and are no
#: copies.
#: named: weights_are_shared
def as_convolution(linear1: nn.Linear, linear2: nn.Linear) -> nn.Sequential:
    conv1 = nn.Conv1d(linear1.in_features, linear1.out_features, kernel_size=1)
    conv2 = nn.Conv1d(linear2.in_features, linear2.out_features, kernel_size=1)
    conv1.weight = nn.Parameter(linear1.weight.unsqueeze(-1))
    conv1.bias = nn.Parameter(linear1.bias)
    conv2.weight = nn.Parameter(linear2.weight.unsqueeze(-1))
    conv2.bias = nn.Parameter(linear2.bias)
    return nn.Sequential(conv1, nn.ReLU(), conv2)


# %% wrong_a070
#: Only the weights are copied; the biases stay the random ones of the new convolutions.
#: named: not_all_is_copied
def as_convolution(linear1: nn.Linear, linear2: nn.Linear) -> nn.Sequential:
    def to_conv(linear):
        conv = nn.Conv1d(linear.in_features, linear.out_features, 1)
        with torch.no_grad():
            conv.weight.copy_(linear.weight[:, :, None])
        return conv

    return nn.Sequential(to_conv(linear1), nn.ReLU(), to_conv(linear2))


# %% wrong_a071
#: The weight is transposed and then forced into the shape with reshape, so its numbers stand in
#: the wrong places.
#: named: weight_transposed
def as_convolution(linear1: nn.Linear, linear2: nn.Linear) -> nn.Sequential:
    capas = []
    for lineal in (linear1, linear2):
        entrada, salida = lineal.in_features, lineal.out_features
        conv = nn.Conv1d(entrada, salida, kernel_size=1)
        nucleo = lineal.weight.detach().T                     # (entrada, salida)
        conv.weight.data = nucleo.reshape(salida, entrada, 1).clone()
        conv.bias.data = lineal.bias.detach().clone()
        capas += [conv, nn.ReLU()]
    return nn.Sequential(*capas[:-1])


# %% right_a072
from collections import OrderedDict

def as_convolution(linear1: nn.Linear, linear2: nn.Linear) -> nn.Sequential:
    net = nn.Sequential(OrderedDict([
        ('expand', nn.Conv1d(linear1.in_features, linear1.out_features, (1,))),
        ('act', nn.ReLU()),
        ('squeeze', nn.Conv1d(linear2.in_features, linear2.out_features, (1,))),
    ])).to(linear1.weight.device, linear1.weight.dtype)
    net.load_state_dict({
        'expand.weight': linear1.state_dict()['weight'].unsqueeze(2), 'expand.bias': linear1.state_dict()['bias'],
        'squeeze.weight': linear2.state_dict()['weight'].unsqueeze(2), 'squeeze.bias': linear2.state_dict()['bias'],
    })
    return net


# %% wrong_b073
#: unsqueeze gives a view: the convolutions share memory with the linear layers, they are no
#: copies.
#: named: weights_are_shared
def as_convolution(linear1: nn.Linear, linear2: nn.Linear) -> nn.Sequential:
    def conv_of(linear):
        conv = nn.Conv1d(linear.in_features, linear.out_features, kernel_size=1)
        conv.weight.data = linear.weight.data.unsqueeze(-1)
        conv.bias.data = linear.bias.data
        return conv

    return nn.Sequential(conv_of(linear1), nn.ReLU(), conv_of(linear2))


# %% wrong_b074
#: The copied weights are made with requires_grad=False, so the convolutions cannot learn.
#: named: nothing_learns
def as_convolution(linear1: nn.Linear, linear2: nn.Linear) -> nn.Sequential:
    """The feed forward layer linear2(ReLU(linear1(x))) as Conv1d, ReLU, Conv1d of kernel size 1."""
    d_ff, d_model = linear1.weight.shape
    conv1 = nn.Conv1d(d_model, d_ff, 1)
    conv2 = nn.Conv1d(d_ff, d_model, 1)

    # (out, in) -> (out, in, 1)
    conv1.weight = nn.Parameter(linear1.weight.detach().clone()[:, :, None], requires_grad=False)
    conv1.bias = nn.Parameter(linear1.bias.detach().clone(), requires_grad=False)
    conv2.weight = nn.Parameter(linear2.weight.detach().clone()[:, :, None], requires_grad=False)
    conv2.bias = nn.Parameter(linear2.bias.detach().clone(), requires_grad=False)
    return nn.Sequential(conv1, nn.ReLU(), conv2)


# %% right_b075
from collections import OrderedDict


def as_convolution(linear1: nn.Linear, linear2: nn.Linear) -> nn.Sequential:
    stages = OrderedDict()
    for name, source in {"widen": linear1, "narrow": linear2}.items():
        state = source.state_dict()
        state["weight"] = state["weight"][..., None]
        stages[name] = nn.Conv1d(source.in_features, source.out_features, 1, bias="bias" in state,
                                 dtype=source.weight.dtype)
        stages[name].load_state_dict(state)
        stages.setdefault("relu", nn.ReLU())
    return nn.Sequential(stages)
