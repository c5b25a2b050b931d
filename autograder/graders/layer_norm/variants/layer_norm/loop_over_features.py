class LayerNorm(nn.Module):
    def __init__(self, d_model, eps=1e-6):
        super().__init__()
        self.gamma = nn.Parameter(torch.ones(d_model))
        self.beta = nn.Parameter(torch.zeros(d_model))
        self.eps = eps
        self.d_model = d_model

    def forward(self, x):
        total = 0
        for i in range(self.d_model):
            total = total + x[..., i]
        mean = total / self.d_model
        squares = 0
        for i in range(self.d_model):
            squares = squares + (x[..., i] - mean) ** 2
        std = torch.sqrt(squares / self.d_model + self.eps)
        columns = []
        for i in range(self.d_model):
            columns.append((x[..., i] - mean) / std * self.gamma[i] + self.beta[i])
        return torch.stack(columns, dim=-1)
