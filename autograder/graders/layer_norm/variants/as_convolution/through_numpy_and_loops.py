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
