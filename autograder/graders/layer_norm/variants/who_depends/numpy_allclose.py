import numpy as np


def depends_on(norm, x):
    def run(a):
        return norm(torch.tensor(a, dtype=x.dtype)).detach().numpy().copy()

    rng = np.random.default_rng(0)
    a = x.detach().numpy().copy()
    n_batch, n_seq, n_feat = a.shape
    base = run(a)
    on_batch, on_positions = [], []
    for b in range(n_batch):
        c = rng.normal(size=a.shape)
        c[b] = a[b]
        on_batch.append(not np.allclose(run(c)[b], base[b], rtol=0, atol=1e-4))
        for i in range(n_seq):
            c = a.copy()
            c[b, :i] = rng.normal(size=(i, n_feat))
            c[b, i + 1 :] = rng.normal(size=(n_seq - i - 1, n_feat))
            on_positions.append(not np.allclose(run(c)[b, i], base[b, i], rtol=0, atol=1e-4))
    words = np.array([["neither", "positions"], ["batch", "both"]])
    return words[int(any(on_batch)), int(any(on_positions))]
