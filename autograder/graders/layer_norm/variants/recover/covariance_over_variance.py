def recover(residual, normalised):
    x_hat = F.layer_norm(residual, residual.shape[-1:], eps=1e-6)
    x, y = x_hat - x_hat.mean(0), normalised - normalised.mean(0)
    gamma = (x * y).sum(0) / (x * x).sum(0)
    return gamma, normalised.mean(0) - gamma * x_hat.mean(0)
