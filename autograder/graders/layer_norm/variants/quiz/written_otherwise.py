# TODO(author): another correct way to write it
layer = nn.Linear(3, 5)
answers = layer.weight.numel() + layer.bias.numel()
