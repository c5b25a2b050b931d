def encoder_tail(x, w1, b1, w2, b2, gamma, beta):
    ffn = F.linear(F.relu(F.linear(x, w1.T, b1)), w2.T, b2)
    residual = ffn + x
    return ffn, residual, F.layer_norm(residual, residual.shape[-1:], gamma, beta, eps=1e-6)
