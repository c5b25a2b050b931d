class LayerNorm(nn.LayerNorm):
    def __init__(self, d_model: int, eps: float = 1e-6):
        super().__init__(d_model, eps=eps)
