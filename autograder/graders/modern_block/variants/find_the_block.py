# %% shifted
def kind_of_block(block, x):
    """A number added to all features comes out again in a pre-norm block alone."""
    x = 10 * torch.randn_like(x)
    moved = (block(x + 50) - block(x)).mean()
    if moved > 25:
        return "pre-norm"
    y = block(x)
    if y.abs().max() < 0.5:
        return "no residual"
    off = (y.mean(-1).abs() + (y.pow(2).mean(-1) - 1).abs()).max()
    return "post-norm" if off < 1e-3 else "residual from the normed input"


# %% scaled
def kind_of_block(block, x):
    factor, x = 1e3, torch.randn_like(x)
    ratio = float(block(factor * x).norm() / (factor * x).norm())
    if ratio > 0.5:
        return "pre-norm"
    answer = block(torch.randn_like(x) * factor)
    if answer.norm() < 0.3 * answer.numel() ** 0.5:
        return "no residual"
    again = F.layer_norm(answer, answer.shape[-1:])
    same = torch.allclose(again, answer, atol=1e-3)
    return "post-norm" if same else "residual from the normed input"


# %% gradient
def kind_of_block(block, x):
    """Along a direction that a norm does not hear, only the stream itself moves."""
    x = (3 * torch.randn_like(x)).requires_grad_()
    (back,) = torch.autograd.grad(block(x).sum(), x)
    if back.sum(-1).abs().mean() > 0.5:
        return "pre-norm"
    answer = block(x).detach()
    if (answer**2).mean() < 0.1:
        return "no residual"
    var, mean = torch.var_mean(answer, dim=-1, unbiased=False)
    if max((var - 1).abs().max(), mean.abs().max()) > 1e-3:
        return "residual from the normed input"
    return "post-norm"


# %% known_normed_token
def kind_of_block(block, x):
    """Beside LayerNorm(x): what is left is the sub-layer's answer."""
    x = 20 * torch.randn_like(x) + 5
    normed, answer = F.layer_norm(x, x.shape[-1:]), block(x)
    sizes = {
        "pre-norm": (answer - x).norm(),
        "residual from the normed input": (answer - normed).norm(),
        "no residual": answer.norm(),
    }
    kind = min(sizes, key=sizes.get)
    if kind == "residual from the normed input":
        rows = answer.reshape(-1, answer.shape[-1])
        if all(abs(row.var(unbiased=False) - 1) < 1e-3 and abs(row.mean()) < 1e-3 for row in rows):
            return "post-norm"
    return kind


# %% average_over_tokens
def kind_of_block(block, x):
    y = block(x * 1e4 + 1e4)
    rms = math.sqrt(y.double().pow(2).mean())
    if rms > 100: return KIND[0]
    if rms < 0.4: return KIND[3]
    total = sum(abs(float(t.var(correction=0)) - 1) + abs(float(t.mean())) for t in y.flatten(0, 1))
    return KIND[1] if total / len(y.flatten(0, 1)) < 5e-4 else KIND[2]


KIND = "pre-norm", "post-norm", "residual from the normed input", "no residual"


# %% table_of_features
class Experiment:
    def __init__(self, block, x):
        probe = torch.stack([torch.linspace(-7, 9, x.size(-1)).to(x)[torch.randperm(x.size(-1))]
                             for _ in range(x.size(0) * x.size(1))]).view_as(x) * 30
        self.out = block(probe).detach()

    @property
    def follows(self):
        return bool(self.out.abs().max() > 60)

    @property
    def small(self):
        return bool(self.out.square().mean() < 0.2)

    @property
    def is_normed(self):
        rms = self.out.square().mean(-1)
        return bool((rms - 1).abs().lt(2e-3).all() and self.out.mean(-1).abs().lt(1e-3).all())


def kind_of_block(block, x):
    seen = Experiment(block, x)
    match seen.follows, seen.small, seen.is_normed:
        case True, _, _: return "Pre-norm"
        case _, True, _: return "No residual"
        case _, _, True: return "Post-norm"
    return "Residual from the normed input"


# %% numpy_minded
import numpy as np


def kind_of_block(block, x):
    rng = np.random.default_rng(0)
    big = torch.from_numpy(rng.normal(scale=200, size=tuple(x.shape))).to(x)
    out = block(big).detach().numpy()
    if np.abs(out).mean() > 20:
        return "pre-norm"
    if np.sqrt((out**2).mean()) < 0.5:
        return "no residual"
    worst = max(np.abs(out.mean(-1)).max(), np.abs(out.std(-1) - 1).max())
    return "post-norm" if worst < 5e-4 else "residual from the normed input"
