class AddAndNorm(nn.Module):
    def __init__(self, size: int, dropout: float = 0.0):
        super().__init__()
        self.gamma = nn.Parameter(torch.ones(size))
        self.beta = nn.Parameter(torch.zeros(size))
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor, y: Tensor) -> Tensor:
        z = x + self.dropout(y)
        mean = z.mean(-1, keepdim=True)
        std = torch.sqrt(z.var(-1, unbiased=False, keepdim=True) + 1e-6)
        return self.gamma * (z - mean) / std + self.beta
