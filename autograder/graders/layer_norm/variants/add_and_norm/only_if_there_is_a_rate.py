class AddAndNorm(nn.Module):
    def __init__(self, d_model: int, dropout: float = 0.0) -> None:
        super().__init__()
        self.norm: nn.Module = LayerNorm(d_model=d_model)
        self.dropout: nn.Module = nn.Dropout(dropout) if dropout else nn.Identity()

    def forward(self, x: Tensor, sublayer_output: Tensor) -> Tensor:
        """Post-norm, as in section 3.1."""
        assert x.shape == sublayer_output.shape, (x.shape, sublayer_output.shape)
        return self.norm(self.dropout(sublayer_output).add(x))
