import numpy as np


def recover(residual, normalised):
    r = np.array(residual)
    x_hat = (r - r.mean(1)[:, None]) / np.sqrt(r.var(1)[:, None] + 1e-6)
    lines = [
        np.linalg.lstsq(np.c_[x, np.ones(len(x))], y, rcond=None)[0]
        for x, y in zip(x_hat.T, np.array(normalised).T)
    ]
    return np.array(lines).T
