def encoder_tail(x, w1, b1, w2, b2, gamma, beta):
    tokens, d = x.shape
    h = w1.shape[1]
    ffn = torch.zeros_like(x)
    residual = torch.zeros_like(x)
    normalised = torch.zeros_like(x)
    for t in range(tokens):
        hidden = []
        for j in range(h):
            total = b1[j]
            for i in range(d):
                total = total + x[t, i] * w1[i, j]
            hidden.append(max(total, torch.zeros_like(total)))
        for i in range(d):
            ffn[t, i] = b2[i] + sum(hidden[j] * w2[j, i] for j in range(h))
            residual[t, i] = x[t, i] + ffn[t, i]
        mean = sum(residual[t]) / d
        variance = sum((value - mean) ** 2 for value in residual[t]) / d
        for i in range(d):
            normalised[t, i] = gamma[i] * (residual[t, i] - mean) / (variance + 1e-6) ** 0.5 + beta[i]
    return ffn, residual, normalised
