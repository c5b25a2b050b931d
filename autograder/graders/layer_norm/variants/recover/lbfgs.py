def recover(residual, normalised):
    kind = residual.dtype
    residual, normalised = residual.double(), normalised.double()
    norm = nn.LayerNorm(residual.shape[-1], eps=1e-6).double()
    optimizer = torch.optim.LBFGS(
        norm.parameters(), max_iter=500, tolerance_grad=1e-12, tolerance_change=1e-15, history_size=100,
        line_search_fn="strong_wolfe",
    )

    def loss():
        optimizer.zero_grad()
        value = (norm(residual) - normalised).pow(2).sum()
        value.backward()
        return value

    for _ in range(5):
        optimizer.step(loss)
    return norm.weight.detach().to(kind), norm.bias.detach().to(kind)
