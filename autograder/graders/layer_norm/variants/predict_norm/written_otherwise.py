# TODO(author): another correct way to write it
layer = nn.Linear(3, 5)
prediction = layer.weight.numel() + layer.bias.numel()
