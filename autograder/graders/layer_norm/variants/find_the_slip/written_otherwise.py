# TODO(author): another correct way to write it
layer = nn.Linear(3, 5)
slips = layer.weight.numel() + layer.bias.numel()
