# %% sequential
class PreNormFeedForward(nn.Module):
    def __init__(self, size, hidden):
        super().__init__()
        self.branch = nn.Sequential(nn.LayerNorm(size), nn.Linear(size, hidden), nn.ReLU(), nn.Linear(hidden, size))

    def forward(self, x):
        return self.branch(x) + x


# %% functional_with_bare_parameters
class PreNormFeedForward(nn.Module):
    def __init__(self, d, f):
        super().__init__()
        self.b2, self.b1 = nn.Parameter(torch.zeros(d)), nn.Parameter(torch.zeros(f))
        self.W1, self.W2 = nn.Parameter(torch.randn(d, f) / d**0.5), nn.Parameter(torch.randn(f, d) / f**0.5)
        self.shift, self.gain = nn.Parameter(torch.zeros(d)), nn.Parameter(torch.ones(d))

    def forward(self, x):
        h = F.layer_norm(x, x.shape[-1:], self.gain, self.shift)
        return x + ((h @ self.W1 + self.b1).clamp(min=0) @ self.W2 + self.b2)


# %% own_norm_and_einsum
class Norm(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.weight, self.bias = nn.Parameter(torch.ones(d_model)), nn.Parameter(torch.zeros(d_model))

    def forward(self, x):
        mean, var = x.mean(-1, keepdim=True), x.var(-1, unbiased=False, keepdim=True)
        return self.weight * (x - mean) / torch.sqrt(var + 1e-5) + self.bias


class PreNormFeedForward(nn.Module):
    def __init__(self, d_model, d_ff):
        super().__init__()
        self.ln, self.fc1, self.fc2 = Norm(d_model), nn.Linear(d_model, d_ff), nn.Linear(d_ff, d_model)

    def forward(self, x):
        hidden = torch.einsum("bsd,fd->bsf", self.ln(x), self.fc1.weight) + self.fc1.bias
        return x + torch.einsum("bsf,df->bsd", F.relu(hidden), self.fc2.weight) + self.fc2.bias


# %% wrapper_around_a_feed_forward
class PreNorm(nn.Module):
    def __init__(self, dim, fn):
        super().__init__()
        self.fn = fn
        self.norm = nn.LayerNorm(dim)

    def forward(self, x, **kwargs):
        return self.fn(self.norm(x), **kwargs) + x


def PreNormFeedForward(d_model, d_ff):
    return PreNorm(d_model, nn.Sequential(nn.Linear(d_model, d_ff), nn.ReLU(inplace=True), nn.Linear(d_ff, d_model)))


# %% linear_layers_first
class PreNormFeedForward(nn.Module):
    def __init__(self, model, ff):
        super().__init__()
        self.linears = nn.ModuleDict({"out": nn.Linear(ff, model), "in": nn.Linear(model, ff)})
        self.norms = nn.ModuleList([nn.LayerNorm([model])])

    def forward(self, x):
        shortcut = x
        for norm in self.norms:
            x = norm(x)
        x = self.linears["out"](self.linears["in"](x).relu())
        return shortcut + x


# %% convolutions
class PreNormFeedForward(nn.Module):
    def __init__(self, d_model, d_ff):
        super().__init__()
        self.norm = nn.LayerNorm(d_model)
        self.conv1, self.conv2 = nn.Conv1d(d_model, d_ff, 1), nn.Conv1d(d_ff, d_model, 1)

    def forward(self, x):
        y = self.conv2(F.relu(self.conv1(self.norm(x).transpose(1, 2))))
        return torch.add(x, y.transpose(1, 2))


# %% loop_over_tokens_with_submodule
class FF(nn.Module):
    def __init__(self, a, b):
        super().__init__()
        self.w_1, self.w_2 = nn.Linear(a, b), nn.Linear(b, a)

    def forward(self, t):
        return self.w_2(torch.maximum(self.w_1(t), torch.zeros(())))


class PreNormFeedForward(nn.Module):
    def __init__(self, d_model, d_ff):
        super().__init__()
        self.ff, self.layer_norm = FF(d_model, d_ff), nn.LayerNorm(d_model, eps=1e-5)

    def forward(self, x):
        return torch.stack([torch.stack([t + self.ff(self.layer_norm(t)) for t in row]) for row in x])
