class ConvolutionalFeedForward(nn.Sequential):
    def __init__(self, linear1, linear2):
        super().__init__(self._from(linear1), nn.ReLU(), self._from(linear2))

    @staticmethod
    @torch.no_grad()
    def _from(linear):
        conv = nn.Conv1d(linear.in_features, linear.out_features, 1).to(linear.weight)
        nn.utils.vector_to_parameters(nn.utils.parameters_to_vector(linear.parameters()), conv.parameters())
        return conv


def as_convolution(linear1, linear2):
    return ConvolutionalFeedForward(linear1, linear2)
