# %% wrong_a079
#: The mean of the weights is taken over the inputs of each row and not over the features that come
#: out (dim=1 for dim=0).
#: named: mean_over_what_comes_in
def fold_centering(linear: nn.Linear) -> nn.Linear:
    ny = nn.Linear(linear.in_features, linear.out_features, bias=linear.bias is not None,
                   dtype=linear.weight.dtype, device=linear.weight.device)
    with torch.no_grad():
        vaegt = linear.weight
        ny.weight.copy_(vaegt - vaegt.mean(dim=1, keepdim=True))
        if linear.bias is not None:
            ny.bias.copy_(linear.bias - linear.bias.mean())
    return ny


# %% wrong_a080
#: The new layer is built without the old one's type, so a float64 layer becomes a float32 one.
#: named: type_is_forgotten
def fold_centering(linear: nn.Linear) -> nn.Linear:
    """Subtract the column means once and for all."""
    has_bias = linear.bias is not None
    new = nn.Linear(linear.in_features, linear.out_features, bias=has_bias)
    with torch.no_grad():
        new.weight.copy_(linear.weight - linear.weight.mean(dim=0))
        if has_bias:
            new.bias.copy_(linear.bias - linear.bias.mean())
    return new


# %% right_a081
import copy

def fold_centering(linear: nn.Linear) -> nn.Linear:
    neu = copy.deepcopy(linear).requires_grad_(True)
    n = linear.out_features
    projektor = torch.eye(n, dtype=torch.float64, device=neu.weight.device) - 1 / n     # P y = y - mean(y)
    for parameter in neu.parameters():
        parameter.data = (projektor @ parameter.detach().double()).to(parameter.dtype)
    return neu


# %% wrong_b012
#: The weight is centred but the bias is copied as it is, so the mean of the bias stays in the
#: answer.
#: named: bias_keeps_its_mean
def fold_centering(linear: nn.Linear) -> nn.Linear:
    """A new layer whose answers are those of `linear` with the mean of each token taken away."""
    has_bias = linear.bias is not None
    new = nn.Linear(linear.in_features, linear.out_features, bias=has_bias,
                    device=linear.weight.device, dtype=linear.weight.dtype)
    with torch.no_grad():
        mean = linear.weight.mean(dim=0, keepdim=True)     # (1, in)
        new.weight.copy_(linear.weight - mean)
        if has_bias:
            new.bias.copy_(linear.bias)
    return new


# %% wrong_b013
#: The new layer first takes over the old .data and then subtracts in place: both share memory, and
#: the old layer is changed.
#: named: old_layer_is_changed
def fold_centering(linear: nn.Linear) -> nn.Linear:
    W, b = linear.weight.data, None if linear.bias is None else linear.bias.data
    neu = nn.Linear(linear.in_features, linear.out_features, bias=b is not None, dtype=W.dtype)

    neu.weight.data = W
    neu.weight.data -= W.mean(0)                 # mean of every column, broadcast over the rows
    if b is not None:
        neu.bias.data = b
        neu.bias.data -= b.mean()
    return neu


# %% wrong_b014
#: The deep copy takes over requires_grad as well: of a frozen layer it makes a layer that cannot
#: learn.
#: named: -
import copy


def fold_centering(linear: nn.Linear) -> nn.Linear:
    layer = copy.deepcopy(linear)          # bias or not, dtype, device: all as before
    with torch.no_grad():
        layer.weight.sub_(layer.weight.mean(dim=0))
        if layer.bias is not None:
            layer.bias.sub_(layer.bias.mean())
    return layer


# %% wrong_b015
#: The new layer is made in float32 whatever the type of the old one is; copy_ converts without a
#: word.
#: named: type_is_forgotten
def fold_centering(linear: nn.Linear) -> nn.Linear:
    d_out, d_in = linear.weight.shape
    centred = nn.Linear(d_in, d_out, bias=linear.bias is not None)

    @torch.no_grad()
    def fill(target, source):
        target.copy_(source - source.mean(dim=0))

    for name, old in linear.named_parameters():
        fill(getattr(centred, name), old)
    return centred


# %% right_b016
def fold_centering(linear: nn.Linear) -> nn.Linear:
    # y - mean(y) = C y with C = I - 11^T / n, so W' = C W and b' = C b
    n = linear.out_features
    W = linear.weight.detach().double()
    C = torch.eye(n, dtype=W.dtype, device=W.device) - torch.ones(n, n, dtype=W.dtype, device=W.device) / n
    new = nn.Linear(linear.in_features, n, bias=linear.bias is not None)
    new.weight = nn.Parameter((C @ W).to(linear.weight.dtype))
    if new.bias is not None:
        new.bias = nn.Parameter((C @ linear.bias.detach().double()).to(linear.bias.dtype))
    return new
