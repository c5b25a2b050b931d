class LayerNorm(nn.Module):
    def __init__(self, d_model, eps=1e-6):
        super().__init__()
        self.register_parameter("beta", nn.Parameter(torch.zeros(d_model)))
        self.register_parameter("gamma", nn.Parameter(torch.ones(d_model)))
        self.register_buffer("eps", torch.tensor(eps))

    def forward(self, x):
        mean = torch.mean(x, dim=-1).unsqueeze(-1)
        var = torch.mean(torch.square(x - mean), dim=-1).unsqueeze(-1)
        return torch.mul(self.gamma, (x - mean) / torch.sqrt(var + self.eps)).add(self.beta)
