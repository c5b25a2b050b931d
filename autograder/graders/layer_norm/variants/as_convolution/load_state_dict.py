def as_convolution(linear1, linear2):
    layers = []
    for linear in (linear1, linear2):
        conv = nn.Conv1d(linear.in_features, linear.out_features, 1)
        state = linear.state_dict()
        conv.load_state_dict({"weight": state["weight"][:, :, None], "bias": state["bias"]})
        layers.append(conv)
    return nn.Sequential(layers[0], nn.ReLU(), layers[1])
