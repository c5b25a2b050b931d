class LayerNorm(nn.Module):
    """Layer normalisation (Ba, Kiros, Hinton, 2016).

    Args:
        d_model (int): number of features of a token
        eps (float): added to the variance
    """

    gamma: nn.Parameter
    beta: nn.Parameter

    def __init__(self, d_model: int, eps: float = 1e-6) -> None:
        super().__init__()
        if d_model <= 0:
            raise ValueError(f"d_model must be positive, got {d_model}")
        self.d_model: int = d_model
        self.eps: float = eps
        self.gamma = nn.Parameter(torch.ones(self.d_model), requires_grad=True)
        self.beta = nn.Parameter(torch.zeros(self.d_model), requires_grad=True)

    @staticmethod
    def _moments(x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        mean = x.mean(dim=-1, keepdim=True)
        return mean, ((x - mean) ** 2).mean(dim=-1, keepdim=True)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Normalise the last axis of x."""
        assert x.shape[-1] == self.d_model, f"expected {self.d_model} features, got {x.shape[-1]}"
        mean, var = self._moments(x)
        return (x - mean) / torch.sqrt(var + self.eps) * self.gamma + self.beta

    def extra_repr(self) -> str:
        return f"{self.d_model}, eps={self.eps}"
