# %% wrong_gelu_norm_first
#: GELU stands for the ReLU; the norm is made first.
#: named: another_activation
class PreNormFeedForward(nn.Module):
    def __init__(self, d_model, d_ff):
        super().__init__()
        self.norm = nn.LayerNorm(d_model)
        self.up = nn.Linear(d_model, d_ff)
        self.down = nn.Linear(d_ff, d_model)
    def forward(self, x):
        return x + self.down(F.gelu(self.up(self.norm(x))))


# %% wrong_gelu_norm_last
#: GELU stands for the ReLU; the norm is made last.
#: named: another_activation
class PreNormFeedForward(nn.Module):
    def __init__(self, d_model, d_ff):
        super().__init__()
        self.up = nn.Linear(d_model, d_ff)
        self.down = nn.Linear(d_ff, d_model)
        self.norm = nn.LayerNorm(d_model)
    def forward(self, x):
        return x + self.down(F.gelu(self.up(self.norm(x))))


# %% wrong_gelu_raw
#: GELU stands for the ReLU; parameters are raw, in any order.
#: named: another_activation
class PreNormFeedForward(nn.Module):
    def __init__(self, d_model, d_ff):
        super().__init__()
        self.b2 = nn.Parameter(torch.zeros(d_model))
        self.w2 = nn.Parameter(torch.randn(d_ff, d_model) / d_ff ** 0.5)
        self.shift = nn.Parameter(torch.zeros(d_model))
        self.w1 = nn.Parameter(torch.randn(d_model, d_ff) / d_model ** 0.5)
        self.gain = nn.Parameter(torch.ones(d_model))
        self.b1 = nn.Parameter(torch.zeros(d_ff))
    def forward(self, x):
        h = F.layer_norm(x, x.shape[-1:], self.gain, self.shift)
        return x + F.gelu(h @ self.w1 + self.b1) @ self.w2 + self.b2
