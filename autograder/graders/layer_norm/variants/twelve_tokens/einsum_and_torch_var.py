def encoder_tail(
    x: Tensor, w1: Tensor, b1: Tensor, w2: Tensor, b2: Tensor, gamma: Tensor, beta: Tensor
) -> list[Tensor]:
    hidden = torch.einsum("td,dh->th", x, w1).add(b1).clamp(min=0)
    ffn = torch.einsum("th,hd->td", hidden, w2).add(b2)
    residual = ffn.add(x)
    variance, mean = torch.var_mean(residual, dim=-1, keepdim=True, unbiased=False)
    return [ffn, residual, (residual - mean).mul(torch.rsqrt(variance + 1e-6)).mul(gamma).add(beta)]
