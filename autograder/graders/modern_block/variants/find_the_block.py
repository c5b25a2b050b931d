# %% written_otherwise
def kind_of_block(rows):
    # TODO(author): another correct way to write it
    return torch.stack([row - row.sum() / len(row) for row in rows])
