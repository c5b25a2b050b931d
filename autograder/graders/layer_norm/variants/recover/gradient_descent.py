def recover(residual, normalised):
    x_hat = F.layer_norm(residual, (residual.size(-1),), eps=1e-6)
    gamma = torch.ones(residual.size(-1), dtype=residual.dtype)
    beta = torch.zeros(residual.size(-1), dtype=residual.dtype)
    for _ in range(20000):
        error = gamma * x_hat + beta - normalised
        gamma = gamma - 0.5 * (error * x_hat).mean(0)
        beta = beta - 0.5 * error.mean(0)
    return gamma, beta
