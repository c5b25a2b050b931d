# %% wrong_e047
#: Weight and bias of the old layer are centred in place.
#: named: old_layer_is_changed
def fold_centering(linear: nn.Linear) -> nn.Linear:
    """A new layer whose answers are those of `linear` with the mean of each token taken away."""
    has_bias = linear.bias is not None
    new = nn.Linear(linear.in_features, linear.out_features, bias=has_bias, dtype=linear.weight.dtype)
    with torch.no_grad():
        linear.weight.sub_(linear.weight.mean(dim=0))
        new.weight.copy_(linear.weight)
        if has_bias:
            linear.bias.sub_(linear.bias.mean())
            new.bias.copy_(linear.bias)
    return new


# %% wrong_e048
#: The bias of the old layer is centred in place through detach(), which shares memory.
#: named: -
def fold_centering(linear: nn.Linear) -> nn.Linear:
    """A new layer whose answers are those of `linear` with the mean of each token taken away."""
    has_bias = linear.bias is not None
    new = nn.Linear(linear.in_features, linear.out_features, bias=has_bias, dtype=linear.weight.dtype)
    with torch.no_grad():
        new.weight.copy_(linear.weight - linear.weight.mean(dim=0))
        if has_bias:
            bias = linear.bias.detach()
            bias -= bias.mean()
            new.bias.copy_(bias)
    return new
