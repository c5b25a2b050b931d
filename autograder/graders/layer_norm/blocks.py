"""Their `AddAndNorm`, with a norm that is right in the place of their own, and what its dropout leaves."""

from types import SimpleNamespace

import torch

from . import stand_ins
from .reference import normalise

# Rates. The first leaves nothing to chance; some layers refuse 1.0, others compute 0 / 0 for it.
ALWAYS, OFTEN = 1 - 2**-30, 0.9
PILLAR, LEVEL = 10.0, 1e-2  # of x, of the sub-layer's output: a norm hardly sees the second
WIDE = (4, 150, 96)  # batch, seq, d_model where chance has a part


def build(candidate, x, *dropout):
    """A block for x, (batch, seq, d_model)."""
    with candidate.stand_in(LayerNorm=stand_ins.norm):
        layer = candidate.build("AddAndNorm", x.size(-1), *dropout)
    return layer.expect(lambda x, *_: x.shape)


def parts(candidate):
    """The stand-ins for `LayerNorm` that were called, as often as they were."""
    return [call.part for call in candidate.calls["LayerNorm"]]


def normed(candidate, x):
    """What a right block's norm makes of x: the equation or, once that was called, what its stand-in does."""
    return stand_ins.norm(SimpleNamespace(built={}), x) if parts(candidate) else normalise(x)


def trained_without_chance(candidate, x, added, evaluated, answer_or_none):
    """What a block in training makes of both, at a rate of 1; where it refuses that one, or takes it for
    none, at 0.9: (batch, seq, d_model).
    """
    trained = answer_or_none(lambda: build(candidate, x, ALWAYS).train()(x, added))
    if trained is None or not trained.isfinite().all() or torch.allclose(trained, evaluated):
        trained = build(candidate, x, OFTEN).train()(x, added)
    return trained


def gains(candidate, unrecorded, *rates):
    """By what the sub-layer's output is multiplied in training at each rate, in two calls: about zero
    where it is dropped, (4, 150, 47) each.

        for rate, one, other in gains(candidate, unrecorded, 0.9, 0.1): ...

    What is drawn at random is not recorded: what is measured of it is.
    """
    x, nothing = torch.zeros(WIDE), torch.zeros(WIDE)
    x[..., 0], x[..., 1] = PILLAR, -PILLAR
    added = nothing.clone()
    added[..., 2::2] = LEVEL
    undropped, without = build(candidate, x).eval().each((x, added), (x, nothing))
    gain = _contrast(undropped - without).flatten(0, 1).median(0).values
    for rate in rates:
        layer = build(candidate, x, rate).train()
        with unrecorded():
            calls = layer.each((x, added), (x, added))
        yield rate, *(_contrast(answer - without) / gain for answer in calls)


def _contrast(moved):
    """How far the features that a sub-layer returns have moved, beyond those beside them."""
    return moved[..., 2::2] - moved[..., 3::2].mean(-1, keepdim=True)
