# %% backward_of_each_token
def depends_on(norm, x):
    found = set()
    for sentence in range(x.shape[0]):
        for position in range(x.shape[1]):
            leaf = x.detach().clone().requires_grad_(True)
            token = norm(leaf)[sentence, position]
            (token * torch.rand_like(token)).sum().backward()
            arrives = leaf.grad.abs().sum(-1) > 1e-6  # (batch, seq)
            arrives[sentence, position] = False
            if arrives[sentence].any():
                found.add("positions")
            arrives[sentence] = False
            if arrives.any():
                found.add("batch")
    if len(found) == 2:
        return "Both"
    return found.pop() if found else "neither"


# %% each_pair_of_tokens
def depends_on(norm, x):
    """Change one token after the other, and write down who moves."""
    y = norm(x)
    tokens = [(b, s) for b in range(len(x)) for s in range(len(x[0]))]
    kinds = set()
    for b, s in tokens:
        z = x.clone()
        z[b, s] = 3 * torch.randn(x.shape[-1])
        moved = (norm(z) - y).abs().max(dim=-1).values > 1e-4
        for c, t in tokens:
            if not moved[c, t] or (c, t) == (b, s):
                continue
            kinds.add("positions" if c == b else "batch")
    return "both" if len(kinds) > 1 else kinds.pop() if kinds else "neither"


# %% jacobian
from torch.autograd.functional import jacobian


def depends_on(norm, x):
    slopes = jacobian(norm, x).abs().amax(dim=(2, 5))  # (batch, seq, batch, seq)
    batch, seq = slopes.shape[:2]
    on_batch = on_positions = False
    for b in range(batch):
        for i in range(seq):
            for c in range(batch):
                for j in range(seq):
                    if slopes[b, i, c, j] > 1e-5:
                        on_batch = on_batch or c != b
                        on_positions = on_positions or (c == b and i != j)
    return {(0, 0): "neither", (0, 1): "positions", (1, 0): "batch", (1, 1): "both"}[
        int(on_batch), int(on_positions)
    ]


# %% masks_and_where
def depends_on(norm, x):
    batch, seq, _ = x.shape
    fresh = torch.randn_like(x) + 1
    b = torch.arange(batch).view(-1, 1, 1)
    s = torch.arange(seq).view(1, -1, 1)
    base = norm(x)

    def far(changed, watched):
        diff = (norm(torch.where(changed, fresh, x)) - base).abs()
        return bool((diff > 2e-4).logical_and(watched).any())

    over_batch = any(far(b != k, b == k) for k in range(batch))
    over_positions = any(
        far((b == k) & (s != i), (b == k) & (s == i)) for k in range(batch) for i in range(seq)
    )
    return ("neither", "positions", "batch", "both")[2 * over_batch + over_positions]


# %% not_a_number
def depends_on(norm, x: Tensor) -> str:
    hit = {"batch": False, "positions": False}
    for b in range(x.shape[0]):
        for s in range(x.shape[1]):
            spoiled = x.clone()
            spoiled[b, s] = float("nan")
            reached = norm(spoiled).isnan().any(dim=-1)
            hit["positions"] |= bool(reached[b].sum() > 1 or (reached[b].any() and not reached[b, s]))
            reached[b] = False
            hit["batch"] |= bool(reached.any())
    if all(hit.values()):
        return "BOTH"
    return next((name for name, true in hit.items() if true), "neither")


# %% numpy_allclose
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


# %% parts_of_the_batch
def depends_on(norm, x):
    whole = norm(x)
    batch = positions = False
    for b in range(x.size(0)):
        sentence = norm(x[b : b + 1])  # all by itself
        if (sentence[0] - whole[b]).abs().max() > 1e-4:
            batch = True
        for i in range(x.size(1)):
            token = norm(x[b : b + 1, i : i + 1])
            if (token[0, 0] - sentence[0, i]).abs().max() > 1e-4:
                positions = True
    names = {(True, True): "both", (True, False): "batch", (False, True): "positions"}
    return names.get((batch, positions), "neither")


# %% replaced_by_zeros
def _moved(a, b):
    return (a - b).norm() > 1e-3


def depends_on(norm, x):
    out = norm(x)
    b_dep, p_dep = False, False
    for b, sent in enumerate(x):
        alone = torch.zeros_like(x)
        alone[b] = sent
        b_dep |= bool(_moved(norm(alone)[b], out[b]))
        for p, tok in enumerate(sent):
            only = x.clone()
            only[b] = 0
            only[b, p] = tok
            p_dep |= bool(_moved(norm(only)[b, p], out[b, p]))
    match b_dep, p_dep:
        case True, True:
            return "both"
        case True, False:
            return "batch"
        case False, True:
            return "positions"
    return "neither"
