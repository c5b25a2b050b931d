# %% deepcopy_and_in_place
from copy import deepcopy


@torch.no_grad()
def fold_centering(linear):
    new = deepcopy(linear)
    for parameter in new.parameters():
        parameter -= parameter.mean(0)
    return new


# %% product_with_a_projection
def fold_centering(layer: nn.Linear) -> nn.Linear:
    n = layer.out_features
    projection = torch.eye(n) - torch.ones(n, n) / n
    state = {name: projection.to(value) @ value for name, value in layer.state_dict().items()}
    folded = nn.Linear(layer.in_features, n, bias="bias" in state).to(layer.weight.dtype)
    folded.load_state_dict(state)
    return folded


# %% loops
def fold_centering(linear):
    out_features, in_features = linear.weight.shape
    W, b = linear.weight.tolist(), None if linear.bias is None else linear.bias.tolist()
    new = nn.Linear(in_features, out_features, bias=b is not None, dtype=linear.weight.dtype)
    for j in range(in_features):
        mean = sum(W[i][j] for i in range(out_features)) / out_features
        for i in range(out_features):
            new.weight.data[i, j] = W[i][j] - mean
    if b is not None:
        for i in range(out_features):
            new.bias.data[i] = b[i] - sum(b) / out_features
    return new


# %% new_parameters
def fold_centering(linear):
    d_out, d_in = linear.weight.size()
    folded = nn.Linear(d_in, d_out, bias=False)
    folded.weight = nn.Parameter(linear.weight.detach() - torch.mean(linear.weight.detach(), 0, keepdim=True))
    if linear.bias is not None:
        folded.bias = nn.Parameter(linear.bias.detach() - torch.mean(linear.bias.detach()))
    return folded


# %% subclass
class Centred(nn.Linear):
    def __init__(self, old):
        super().__init__(old.in_features, old.out_features, old.bias is not None, dtype=old.weight.dtype)
        for mine, theirs in zip(self.parameters(), old.parameters()):
            mine.data = theirs.data - theirs.data.sum(dim=0) / len(theirs)


def fold_centering(linear):
    return Centred(linear)


# %% answers_to_unit_vectors
def fold_centering(linear):
    with torch.no_grad():
        zero = linear(torch.zeros(1, linear.in_features, dtype=linear.weight.dtype))
        columns = linear(torch.eye(linear.in_features, dtype=linear.weight.dtype)) - zero
        new = nn.Linear(linear.in_features, linear.out_features, linear.bias is not None).to(zero)
        new.weight.copy_((columns - columns.mean(-1, keepdim=True)).T)
        if new.bias is not None:
            new.bias.copy_((zero - zero.mean()).flatten())
    return new


# %% einsum_and_numpy
import numpy as np


def fold_centering(linear):
    numbers = [p.detach().numpy() for p in linear.parameters()]
    made = nn.Linear(*reversed(linear.weight.shape), bias=len(numbers) > 1)
    for p, one in zip(made.parameters(), numbers):
        mean = np.einsum("o...->...", one) / one.shape[0]
        p.data = torch.from_numpy(np.asarray(one - mean))
    return made
