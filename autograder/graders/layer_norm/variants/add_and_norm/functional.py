class AddAndNorm(nn.Module):
    def __init__(self, d_model, dropout=0.0):
        super().__init__()
        self.d_model, self.p = d_model, dropout
        self.weight = nn.Parameter(torch.ones(d_model))
        self.bias = nn.Parameter(torch.zeros(d_model))

    def forward(self, x, sublayer_output):
        y = F.dropout(sublayer_output, self.p, self.training)
        return F.layer_norm(torch.add(x, y), (self.d_model,), self.weight, self.bias)
