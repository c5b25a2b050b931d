class LayerNorm(nn.Module):
    # statistics over the first axis of the transposed input
    def __init__(self, d_model, eps=1e-6):
        super().__init__()
        self.gain = nn.Parameter(torch.ones(d_model))
        self.offset = nn.Parameter(torch.zeros(d_model))
        self.eps = eps

    def forward(self, x):
        t = x.movedim(-1, 0)
        t = (t - t.mean(0)) / (t.var(0, unbiased=False) + self.eps) ** 0.5
        return t.movedim(0, -1) * self.gain + self.offset
