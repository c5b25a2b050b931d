def recover(residual, normalised):
    norm = nn.LayerNorm(residual.shape[1], eps=1e-6, elementwise_affine=False)
    x, y = norm(residual).T, normalised.T               # (d, tokens)
    n = torch.full_like(x[:, 0], x.size(1))
    a = torch.stack([(x * x).sum(1), x.sum(1), x.sum(1), n], dim=-1).view(-1, 2, 2)
    b = torch.stack([(x * y).sum(1), y.sum(1)], dim=-1)
    solution = torch.linalg.solve(a, b)
    return [solution[:, 0], solution[:, 1]]
