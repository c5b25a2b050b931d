# %% written_otherwise
class ModernStack(nn.Module):
    # TODO(author): another correct way to write it, with names of its own
    def __init__(self, size):
        super().__init__()
        self.layer = nn.Linear(size, size)

    def forward(self, inputs):
        answer = self.layer(inputs)
        return answer + answer
