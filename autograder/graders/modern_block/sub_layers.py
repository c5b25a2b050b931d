"""Pre-norm sub-layers whose weights may have any names, order and layout.

Vectors of one length are equal, and the matrix that leads back is the transposed of the one that leads
in: so it does not matter which of them stands for what.
"""

import torch
from torch.nn import functional as F

from .reference import PreNormFeedForward

D_MODEL, D_FF, BATCH, SEQ = 5, 8, 3, 4  # pairwise different, and no sizes of the notebook
ALONE = (D_MODEL,), (D_FF,), (D_FF, D_MODEL), (D_MODEL, D_FF)  # what a parameter may be
MOST = 3  # of these in one parameter; of more, it is a matrix of another width


def build(candidate):
    made = candidate.build("PreNormFeedForward", D_MODEL, D_FF)
    return made.expect(lambda x: x.shape).eval()


def learned(layer):
    """What is learned, each once."""
    return list({one.identity: one for one in layer.parameters() if one.requires_grad}.values())


def with_weights(layer, matrices=torch.randn, vectors=torch.ones):
    """Give all matrices and vectors numbers: `with_weights(layer, torch.zeros, torch.zeros)`. Return a
    reference with the same.
    """
    into = matrices((D_FF, D_MODEL))
    wide, inner = vectors((D_MODEL,)), vectors((D_FF,))
    drawn = {(D_MODEL,): wide, (D_FF,): inner, (D_FF, D_MODEL): into, (D_MODEL, D_FF): into.T}

    def value(shape):
        one, *others = members(shape)
        sizes = [size for size in shape if size > 1]
        if one not in drawn:  # of another width
            return (matrices if len(sizes) > 1 else vectors)(shape)
        stacked = torch.stack([drawn[one]] * (1 + len(others)))
        return (stacked.T if sizes[1:] == [len(stacked)] else stacked).reshape(shape)

    layer.randomise(value)
    reference = PreNormFeedForward(D_MODEL, D_FF)
    shapes = {name: tuple(one.shape) for name, one in reference.named_parameters()}
    reference.load_state_dict({name: value(shape) for name, shape in shapes.items()})
    return reference


def members(shape):
    """The shapes of what a parameter holds: one vector or matrix, or several, side by side along the
    first axis, in columns, or in line.
    """
    sizes = tuple(size for size in shape if size > 1)
    if sizes in ALONE:
        return [sizes]
    for count in range(2, MOST + 1):
        if sizes[:1] == (count,) and sizes[1:] in ALONE:
            return [sizes[1:]] * count
        if sizes in ((D_MODEL, count), (count * D_MODEL,)):
            return [(D_MODEL,)] * count
    return [sizes]


def nearest(answer, reference, x):
    """The reference's answer or, if that is nearer, one with another residual: that costs its own
    check.
    """
    with torch.no_grad():
        right, normed = reference(x), reference.norm(x)
    paths = x, 0 * x, 2 * x, normed, F.layer_norm(x, x.shape[-1:])
    rights = [right - x + path for path in paths]
    return min(rights, key=lambda one: (answer - one).abs().max())


def small(shape):
    """Small numbers, beside which a bias of `wide_open` is large."""
    return 0.1 * torch.rand(shape)


def wide_open(shape):
    """Numbers of vectors with which no ReLU is closed, nor what is like a ReLU far above zero."""
    return torch.full(shape, 6.0 if shape == (D_FF,) else 1.0)
