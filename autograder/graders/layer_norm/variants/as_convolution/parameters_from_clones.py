def as_convolution(linear1, linear2):
    d_ff, d_model = linear1.weight.shape
    conv1 = nn.Conv1d(d_model, d_ff, 1)
    conv1.weight = nn.Parameter(linear1.weight.detach().clone().view(d_ff, d_model, 1))
    conv1.bias = nn.Parameter(linear1.bias.detach().clone())
    conv2 = nn.Conv1d(d_ff, d_model, 1)
    conv2.weight = nn.Parameter(linear2.weight.detach().clone().view(d_model, d_ff, 1))
    conv2.bias = nn.Parameter(linear2.bias.detach().clone())
    return nn.Sequential(conv1, nn.ReLU(), conv2)
