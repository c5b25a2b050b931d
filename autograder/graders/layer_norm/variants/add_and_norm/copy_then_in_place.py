class AddAndNorm(nn.Module):
    def __init__(self, d_model, dropout=0.0):
        super(AddAndNorm, self).__init__()
        self.ln = nn.LayerNorm(d_model, eps=1e-6)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, sublayer_output):
        out = self.dropout(sublayer_output.clone())
        out += x
        out = self.ln(out)
        return out
