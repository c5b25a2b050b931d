class AddAndNorm(nn.Module):
    def __init__(self, d_model, dropout=0.0):
        super().__init__()
        self.parts = nn.ModuleDict({"norm": LayerNorm(d_model), "drop": nn.Dropout(dropout)})

    def forward(self, x, sublayer_output):
        total = torch.stack([x, self.parts["drop"](sublayer_output)]).sum(0)
        return self.parts["norm"](total)
