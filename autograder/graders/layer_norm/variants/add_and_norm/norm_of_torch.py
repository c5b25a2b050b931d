class AddAndNorm(nn.Module):
    def __init__(self, d_model, dropout=0.0):
        super().__init__()
        self.layer_norm = nn.LayerNorm(d_model)
        self.drop = nn.Dropout(p=dropout)

    def forward(self, x, sublayer_output):
        residual = x + self.drop(sublayer_output)
        return self.layer_norm(residual)
