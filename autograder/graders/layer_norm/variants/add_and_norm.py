# %% copy_then_in_place
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


# %% dropout_by_hand
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


# %% functional
class AddAndNorm(nn.Module):
    def __init__(self, d_model, dropout=0.0):
        super().__init__()
        self.d_model, self.p = d_model, dropout
        self.weight = nn.Parameter(torch.ones(d_model))
        self.bias = nn.Parameter(torch.zeros(d_model))

    def forward(self, x, sublayer_output):
        y = F.dropout(sublayer_output, self.p, self.training)
        return F.layer_norm(torch.add(x, y), (self.d_model,), self.weight, self.bias)


# %% module_dict
class AddAndNorm(nn.Module):
    def __init__(self, d_model, dropout=0.0):
        super().__init__()
        self.parts = nn.ModuleDict({"norm": LayerNorm(d_model), "drop": nn.Dropout(dropout)})

    def forward(self, x, sublayer_output):
        total = torch.stack([x, self.parts["drop"](sublayer_output)]).sum(0)
        return self.parts["norm"](total)


# %% names_of_bert
class AddAndNorm(nn.Module):
    def __init__(self, hidden_size, hidden_dropout_prob=0.0, layer_norm_eps=1e-12):
        super().__init__()
        self.LayerNorm = LayerNorm(hidden_size, eps=layer_norm_eps)
        self.dropout = nn.Dropout(hidden_dropout_prob)

    def forward(self, input_tensor, hidden_states):
        hidden_states = self.dropout(hidden_states)
        hidden_states = self.LayerNorm(hidden_states + input_tensor)
        return hidden_states


# %% norm_of_torch
class AddAndNorm(nn.Module):
    def __init__(self, d_model, dropout=0.0):
        super().__init__()
        self.layer_norm = nn.LayerNorm(d_model)
        self.drop = nn.Dropout(p=dropout)

    def forward(self, x, sublayer_output):
        residual = x + self.drop(sublayer_output)
        return self.layer_norm(residual)


# %% norm_written_inside
class AddAndNorm(nn.Module):
    def __init__(self, size: int, dropout: float = 0.0):
        super().__init__()
        self.gamma = nn.Parameter(torch.ones(size))
        self.beta = nn.Parameter(torch.zeros(size))
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor, y: Tensor) -> Tensor:
        z = x + self.dropout(y)
        mean = z.mean(-1, keepdim=True)
        std = torch.sqrt(z.var(-1, unbiased=False, keepdim=True) + 1e-6)
        return self.gamma * (z - mean) / std + self.beta


# %% only_if_there_is_a_rate
class AddAndNorm(nn.Module):
    def __init__(self, d_model: int, dropout: float = 0.0) -> None:
        super().__init__()
        self.norm: nn.Module = LayerNorm(d_model=d_model)
        self.dropout: nn.Module = nn.Dropout(dropout) if dropout else nn.Identity()

    def forward(self, x: Tensor, sublayer_output: Tensor) -> Tensor:
        """Post-norm, as in section 3.1."""
        assert x.shape == sublayer_output.shape, (x.shape, sublayer_output.shape)
        return self.norm(self.dropout(sublayer_output).add(x))


# %% inherits_from_torchs_norm
class AddAndNorm(nn.LayerNorm):
    def __init__(self, d_model, dropout=0.0):
        super().__init__(d_model)
        self.rate = dropout

    def forward(self, x, sublayer_output):
        kept = nn.functional.dropout(sublayer_output, self.rate, self.training)
        return super().forward(x + kept)


# %% token_by_token_and_stacked
class AddAndNorm(nn.Module):
    def __init__(self, d_model, dropout=0.0):
        super().__init__()
        self.layers = nn.ModuleList([nn.Dropout(dropout), LayerNorm(d_model)])

    def forward(self, x, sublayer_output):
        drop, norm = self.layers
        tokens = []
        for position in range(x.shape[1]):
            residual = x[:, position]
            tokens.append(norm(residual + drop(sublayer_output[:, position])))
        return torch.stack(tokens, dim=1)
