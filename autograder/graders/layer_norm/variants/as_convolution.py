# %% load_state_dict
def as_convolution(linear1, linear2):
    layers = []
    for linear in (linear1, linear2):
        conv = nn.Conv1d(linear.in_features, linear.out_features, 1)
        state = linear.state_dict()
        conv.load_state_dict({"weight": state["weight"][:, :, None], "bias": state["bias"]})
        layers.append(conv)
    return nn.Sequential(layers[0], nn.ReLU(), layers[1])


# %% named_members_and_relu_in_place
from collections import OrderedDict
from copy import deepcopy


def as_convolution(linear1, linear2):
    def conv(linear):
        twin = deepcopy(linear)
        new = nn.Conv1d(twin.in_features, twin.out_features, (1,))
        new.weight.data = twin.weight.data[..., None]
        new.bias.data = twin.bias.data
        return new

    members = [("conv1", conv(linear1)), ("relu", nn.ReLU(inplace=True)), ("conv2", conv(linear2))]
    return nn.Sequential(OrderedDict(members))


# %% parameters_from_clones
def as_convolution(linear1, linear2):
    d_ff, d_model = linear1.weight.shape
    conv1 = nn.Conv1d(d_model, d_ff, 1)
    conv1.weight = nn.Parameter(linear1.weight.detach().clone().view(d_ff, d_model, 1))
    conv1.bias = nn.Parameter(linear1.bias.detach().clone())
    conv2 = nn.Conv1d(d_ff, d_model, 1)
    conv2.weight = nn.Parameter(linear2.weight.detach().clone().view(d_model, d_ff, 1))
    conv2.bias = nn.Parameter(linear2.bias.detach().clone())
    return nn.Sequential(conv1, nn.ReLU(), conv2)


# %% subclass_of_sequential
class ConvolutionalFeedForward(nn.Sequential):
    def __init__(self, linear1, linear2):
        super().__init__(self._from(linear1), nn.ReLU(), self._from(linear2))

    @staticmethod
    @torch.no_grad()
    def _from(linear):
        conv = nn.Conv1d(linear.in_features, linear.out_features, 1).to(linear.weight)
        nn.utils.vector_to_parameters(nn.utils.parameters_to_vector(linear.parameters()), conv.parameters())
        return conv


def as_convolution(linear1, linear2):
    return ConvolutionalFeedForward(linear1, linear2)


# %% through_numpy_and_loops
import numpy as np


def as_convolution(linear1: nn.Linear, linear2: nn.Linear) -> nn.Sequential:
    result = nn.Sequential()
    for name, linear in {"first": linear1, "second": linear2}.items():
        n_out, n_in = linear.weight.shape
        kernel = np.zeros((n_out, n_in, 1))
        for i in range(n_out):
            for j in range(n_in):
                kernel[i, j, 0] = linear.weight[i, j].item()
        conv = nn.Conv1d(n_in, n_out, kernel_size=1, stride=1, padding=0)
        conv.weight.data.copy_(torch.from_numpy(kernel))
        conv.bias.data.copy_(linear.bias.data)
        result.add_module(name, conv)
        if name == "first":
            result.add_module("relu", nn.ReLU())
    return result
