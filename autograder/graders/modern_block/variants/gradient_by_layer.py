# %% written_otherwise
def gradient_by_layer(rows):
    # TODO(author): another correct way to write it
    return torch.stack([row - row.sum() / len(row) for row in rows])
