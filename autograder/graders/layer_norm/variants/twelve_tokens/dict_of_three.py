def encoder_tail(x, w1, b1, w2, b2, gamma, beta, eps=1e-6):
    out = {}
    hidden = torch.matmul(x, w1) + b1
    out["ffn"] = torch.matmul(torch.where(hidden > 0, hidden, 0.0 * hidden), w2) + b2
    out["residual"] = x + out["ffn"]
    mu = out["residual"].mean(dim=1, keepdim=True)
    sigma2 = ((out["residual"] - mu) ** 2).sum(dim=1, keepdim=True) / x.shape[1]
    out["normalised"] = (out["residual"] - mu) / torch.sqrt(sigma2 + eps) * gamma + beta
    return {name: out[name] for name in ("normalised", "residual", "ffn")}
