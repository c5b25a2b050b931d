# %% written_otherwise
# TODO(author): another correct way to write it
layer = nn.Linear(3, 5)
parameters = layer.weight.numel() + layer.bias.numel()
