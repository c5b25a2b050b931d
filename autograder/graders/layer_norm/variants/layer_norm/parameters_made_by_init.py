class LayerNorm(nn.Module):
    def __init__(self, d_model, eps=1e-6):
        super().__init__()
        self.gamma = nn.Parameter(torch.empty(d_model))
        self.beta = nn.Parameter(torch.empty(d_model))
        self.eps = eps
        self.reset_parameters()

    def reset_parameters(self):
        nn.init.constant_(self.gamma, 1.0)
        nn.init.zeros_(self.beta)

    def normalize(self, x):
        centered = x - x.mean(-1, True)
        return centered / (centered.pow(2).mean(-1, True) + self.eps).sqrt()

    def forward(self, x):
        return torch.addcmul(self.beta, self.gamma, self.normalize(x))
