def one_token(token, w1, b1, w2, b2, gamma, beta):
    hidden = token @ w1 + b1
    hidden[hidden < 0] = 0
    ffn = hidden @ w2 + b2
    summed = token + ffn
    normalised = (summed - summed.mean()) / torch.sqrt(summed.var(correction=0) + 1e-6)
    return torch.stack([ffn, summed, normalised * gamma + beta])


def encoder_tail(x, *tables):
    return torch.stack([one_token(token, *tables) for token in x], dim=1)
