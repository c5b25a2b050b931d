class AddAndNorm(nn.Module):
    def __init__(self, d_model, dropout=0.0):
        super().__init__()
        assert 0 <= dropout < 1, "dropout is a probability"
        self.norm = LayerNorm(d_model)
        self.rate = dropout

    def forward(self, x, sublayer_output):
        if self.training and self.rate > 0:
            keep = torch.rand_like(sublayer_output) > self.rate
            sublayer_output = sublayer_output * keep / (1 - self.rate)
        return self.norm(x + sublayer_output)
