from collections import namedtuple

EncoderTail = namedtuple("EncoderTail", ["ffn", "residual", "normalised"])


def encoder_tail(x, w1, b1, w2, b2, gamma, beta):
    ffn = torch.addmm(b2, torch.addmm(b1, x, w1).relu(), w2)
    residual = torch.add(x, ffn)
    mean = residual.mean(-1).unsqueeze(-1)
    variance = residual.pow(2).mean(-1).unsqueeze(-1) - mean.pow(2)
    return EncoderTail(ffn, residual, gamma * (residual - mean) / (variance + 1e-6).sqrt() + beta)
