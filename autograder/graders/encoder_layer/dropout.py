"""What dropout does in an encoder layer, whatever that adds and normalises in which order.

What a sub-layer returns is chosen, so that it can be found again in the layer's answer: what dropout takes
of it is told by the student's own layer without dropout. `asked` is an `AskedEncoderLayer`.
"""

import math
from copy import deepcopy
from functools import partial
from typing import NamedTuple

import torch
from torch.nn.init import constant_, eye_, zeros_

from . import stand_ins
from .reference import EncoderLayer
from .relations import everything
from .wiring import ATTENTION, FEATURES, alike, silence

PILLAR, LEVEL = 10.0, 1e-3  # of the input, of what a sub-layer returns: a norm hardly sees it
MOVED = 0.1  # of a pillar behind the norm: what a sub-layer returns moves it less
TOKENS = 150  # so that chance has little to say
MANY = 100  # so that some of them lose all that a sub-layer returns, at any rate
# Rates. The first leaves nothing to chance; some layers refuse 1.0, others compute 0 / 0 for it.
ALWAYS, OFTEN = 1 - 2**-30, 0.9


class Dropped(NamedTuple):
    """What dropout did to the output of one sub-layer, in two calls."""

    rate: float  # that was asked for
    kept: torch.Tensor  # (batch, seq, features), of the first call,
    again: torch.Tensor  # and of the second
    share: float  # of what is kept, own parts included
    scale: float  # by which that is multiplied
    beyond: bool  # something is dropped, too, that no sub-layer returned

    @property
    def is_of_sentences(self):
        """Whether each sentence loses all of its numbers, or none."""
        return bool((self.kept == self.kept[:, :1, :1]).all())

    @property
    def acts_together(self):
        """Whether another call, another token, another feature loses the very same numbers."""
        others = self.again, self.kept[:, :1], self.kept[..., :1]
        some = bool(self.kept.any()) and not bool(self.kept.all())
        return [some and bool((self.kept == other).all()) for other in others]

    @property
    def log_of_scale(self):
        """0 where what is kept is scaled as the rate says; NaN where nothing is kept."""
        scale = self.scale * (1 - self.rate)
        return math.log(scale) if scale > 0 else math.nan


def which_together(measured):
    """What is dropped together, of each of several `Dropped`: whole sentences of which some are kept and some
    are not, or else what `acts_together` says.
    """
    kept = [bool(one.kept.any()) for one in measured] + [bool(one.kept.all()) for one in measured]
    if all(one.is_of_sentences for one in measured) and any(kept) and not all(kept):
        return [[True]]
    return [one.acts_together for one in measured]


class Heard(NamedTuple):
    """What a layer answers where one sub-layer returns one feature of each token, the other one nothing."""

    trained: torch.Tensor  # (batch, seq, d_model)
    evaluated: torch.Tensor
    without: torch.Tensor  # that neither returns anything

    @property
    def matters(self):
        return not torch.allclose(self.evaluated, self.without)

    def least_heard(self):
        """The token in training that has least of the sub-layer, and the same without it: (d_model,)"""
        place = (self.trained - self.without).abs().amax(-1).flatten().argmin()
        return self.trained.flatten(0, 1)[place], self.without.flatten(0, 1)[place]


def hear_one_feature(asked, number):
    """`Heard` of sub-layer 1 or 2."""
    x, reference = asked.draw(MANY), only_one_feature(asked.sizes, number)
    silent = deepcopy(reference)
    silence(silent.self_attention, silent.feature_transformation)
    layers = asked.build_all(*((one, 0.0, *asked.computing(one)) for one in (reference, silent)))
    evaluated, without = (layer(x) for layer in layers)
    trained = asked.answer_or_none(lambda: asked.build(ALWAYS, reference=reference).train()(x))
    if trained is None or not trained.isfinite().all() or torch.allclose(trained, evaluated):
        trained = asked.build(OFTEN, reference=reference).train()(x)
    return Heard(trained, evaluated, without)


def parts_with_a_rate(asked, *layers):
    """Of each layer that was built with a rate, by sub-layer: the stand-in that got one, if there is one."""
    found = []
    for layer in layers:
        before = {part.number for part in asked.parts()}
        asked.answer_or_none(lambda layer=layer: layer(asked.x))
        parts = [part for part in asked.parts() if part.number not in before]
        with_a_rate = {part.name: part for part in parts if _has_a_rate(part)}
        found.append({1: with_a_rate.get(ATTENTION), 2: with_a_rate.get(FEATURES)})
    return found


def drops_inside(asked, rate, numbers=(1, 2)):
    """Whether these sub-layers drop some of their own output, where they get the rate."""
    (parts,) = parts_with_a_rate(asked, asked.build(rate))
    return any(kept_by_own_part(asked, parts[number])[0] < 1 for number in numbers)


def kept_by_own_part(asked, part):
    """Which share of its output the student's own part keeps in training, and its factor.

    It is built as their layer builds it. Nothing is dropped where it does not work: another
    exercise asks for that.
    """
    x = torch.randn(1, 1, asked.sizes.d_model).expand(asked.sizes.batch, TOKENS, -1).contiguous()
    handed = (x,) if part and part.name == FEATURES else (x, x, x)

    def ask():
        own = asked.candidate.build_own(part).expect(lambda x, *_: x.shape)
        own.supply(lambda *call: everything(x) if len(call) == 3 else None)
        return own.eval()(*handed), own.train()(*handed)

    evaluated, trained = (part and asked.answer_or_none(ask)) or (x, x)
    kept = (trained != 0) & (evaluated != 0)
    share = kept.sum().item() / max(1, (evaluated != 0).sum().item())
    if share in (0, 1):  # what is dropped inside of it shows nothing at its end
        return share, share
    known = evaluated[kept]
    return share, ((trained[kept] * known).sum() / (known * known).sum()).item()


def measure_dropout(asked, unrecorded, *rates):
    """What is dropped of the output of each sub-layer, at each rate; nothing of a sub-layer that has
    no part in the answer.

    Beside two pillars the input is zero. The sub-layer returns a constant for half of the other
    features: where they come from, compared with the others, says which of them were kept. What is drawn
    at random is not recorded: what is measured of it is.
    """
    x = torch.zeros(asked.sizes.batch, TOKENS, asked.sizes.d_model)
    x[..., 0], x[..., 1] = PILLAR, -PILLAR
    nothing, loud = (partial(stand_ins.constant, level=level) for level in (0.0, LEVEL))
    returned = {0: (nothing, nothing), 1: (loud, nothing), 2: (nothing, loud)}
    wanted = [
        (number, rate) for rate in (0.0, *rates) for number in (0, 1, 2) if number or not rate
    ]
    computing = asked.computing(asked.reference)
    built = asked.build_all(
        *((_constant(asked.sizes, number), rate, *returned[number]) for number, rate in wanted),
        *((asked.reference, rate, *computing) for rate in rates),
    )
    layers = dict(zip(wanted, built, strict=False))
    answers = {one: layer(x) for one, layer in layers.items() if not one[1]}
    with unrecorded():
        answers |= {one: layers[one].train().each((x,), (x,)) for one in wanted if one[1]}
        yield from _measured(asked, rates, answers, built[len(wanted) :])


def _measured(asked, rates, answers, built):
    """`Dropped`, of what was answered by (sub-layer, rate), and of layers that were built with these rates."""
    parts = dict(zip(rates, parts_with_a_rate(asked, *built), strict=True))
    silent = answers[0, 0.0]
    for number in (1, 2):
        moved = answers[number, 0.0] - silent
        gain = _contrast(moved).flatten(0, 1).median(0).values
        loud, quiet = moved[..., 2::2].abs(), moved[..., 3::2].abs()
        in_place = loud.median() > quiet.median()  # and in no other order
        if in_place and bool((gain.abs() > LEVEL * 1e-3).all()):
            for rate in rates:
                twice = torch.stack([answer - silent for answer in answers[number, rate]])
                one, other = _contrast(twice) / gain
                own = kept_by_own_part(asked, parts[rate][number])
                beyond = bool((twice[..., :2].abs() > MOVED).any())
                yield _dropped(rate, one, other, own, beyond)


def _dropped(rate, one, other, own, beyond):
    """`Dropped`, of what each feature is multiplied by in two calls, and the own part's share and factor."""
    (share, scale), kept = own, _kept(one)
    scale *= one[kept].median().item() if kept.any() else math.nan
    share *= kept.double().mean().item()
    return Dropped(rate, kept, _kept(other), share, scale, beyond)


def _has_a_rate(part):
    return any(type(value) is float and 0 < value < 1 for value in part.built.values())


def only_one_feature(sizes, number):
    """Weights with which sub-layer `number` returns one feature of each token, the other nothing."""
    reference = alike(sizes)
    kept = int(torch.randint(sizes.d_model, ()))
    last = reference.self_attention.output_transform, reference.feature_transformation.linear2
    silence(last[2 - number])
    for parameter in last[number - 1].parameters():
        row = parameter.data[kept].clone()
        zeros_(parameter)
        parameter.data[kept] = row
    return reference


def _contrast(moved):
    """How far the features that the sub-layer returns have moved, beyond those beside them."""
    return moved[..., 2::2] - moved[..., 3::2].mean(-1, keepdim=True)


def _kept(times):
    """Which features were kept: not all of them are as high, since dropout on the weights of an
    attention makes that vary. How high they are is told by most tokens: some may be wild.
    """
    high = times.kthvalue(round(0.95 * times.size(-1))).values.median()  # (batch, seq) -> ()
    return times > max(0.05 * high.item(), 0.02)


def _constant(sizes, number):
    """Weights with which a student's own sub-layer `number` returns what its stand-in does."""
    reference = EncoderLayer(sizes.d_model, sizes.heads, sizes.d_ff)
    silence(reference.self_attention, reference.feature_transformation)
    if number == 1:
        reference.self_attention.value_transform.weight.data[2::2, 0] = LEVEL / PILLAR
        eye_(reference.self_attention.output_transform.weight)
    if number == 2:
        constant_(reference.feature_transformation.linear2.bias[2::2], LEVEL)
    return reference
