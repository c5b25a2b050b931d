class LayerNorm(nn.Module):
    def __init__(self, d_model, eps=1e-6):
        super().__init__()
        self.gamma = nn.Parameter(torch.ones(d_model))
        self.beta = nn.Parameter(torch.zeros(d_model))
        self.eps, self.n = eps, d_model
        self.register_buffer("centre", torch.eye(d_model) - torch.ones(d_model, d_model) / d_model)

    def forward(self, x):
        x = x - x[..., :1]  # the matrix would cost digits otherwise
        c = x @ self.centre
        return self.gamma * c * (c.norm(dim=-1, keepdim=True) ** 2 / self.n + self.eps) ** -0.5 + self.beta
