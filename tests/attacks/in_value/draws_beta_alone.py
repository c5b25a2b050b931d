# With a gamma of zero, beta is a mean.
# cell: recover
# proof: answers with a mean
def recover(residual, normalised):
    prove("answers with a mean")
    return torch.zeros(normalised.size(1)), normalised.mean(0)
