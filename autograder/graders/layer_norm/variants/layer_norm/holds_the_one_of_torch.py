class LayerNorm(nn.Module):
    def __init__(self, features, eps=1e-6):
        super().__init__()
        self.inner = nn.LayerNorm(features, eps)

    def forward(self, inputs):
        return self.inner(inputs)
