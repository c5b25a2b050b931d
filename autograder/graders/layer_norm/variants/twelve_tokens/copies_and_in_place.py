def encoder_tail(x, w1, b1, w2, b2, gamma, beta):
    hidden = (x @ w1).add_(b1).relu_()
    ffn = (hidden @ w2).add_(b2)
    residual = x.clone()
    residual += ffn
    normalised = residual.clone()
    normalised -= normalised.mean(-1, keepdim=True)
    normalised /= (normalised**2).mean(-1, keepdim=True).add_(1e-6).sqrt_()
    normalised *= gamma
    normalised += beta
    return (ffn, residual, normalised)
