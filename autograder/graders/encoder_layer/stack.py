"""Encoders to ask about what they do around their layers: stand-ins take the place of these."""

from dataclasses import dataclass, field, replace
from functools import partial
from types import SimpleNamespace
from typing import Any

import torch

from . import stand_ins
from .dropout import ALWAYS
from .reference import Encoder, Sizes, draw_sizes, shake

MAX_LEN = 520  # of the encoder: more than its default, so that a table of 512 ends too soon


class Stack:
    """The stand-ins of one encoder's layers: what they were handed from now on, call by call."""

    def __init__(self, calls, sizes):
        self.calls, self.sizes = calls, sizes
        self.clear()

    def clear(self):
        self.begin = len(self.calls)

    @property
    def seen(self):
        """What each was handed, (batch, seq, d_model)."""
        return [call.handed[0] for call in self.calls[self.begin :]]

    @property
    def built(self):
        """The numbers that each of them was built with."""
        parts = {call.part.number: call.part for call in self.calls[self.begin :]}
        return [
            [value for value in part.built.values() if type(value) in (int, float)]
            for part in parts.values()
        ]

    def of(self, x):
        """What so many of them make of it."""
        for place in range(self.sizes.layers):
            part = SimpleNamespace(place=place)
            x = stand_ins.encoder_layer(
                part, x, d_model=self.sizes.d_model, layers=self.sizes.layers
            )
        return x


@dataclass(frozen=True)
class AskedEncoder:
    """The student's `Encoder`, with stand-ins for its layers, and tokens for it.

    `AskedEncoder(candidate).draw()` is a tensor of shape (batch, seq).
    """

    candidate: Any
    sizes: Sizes = field(default_factory=draw_sizes)

    def at(self, **sizes):
        """The same at other sizes: `asked.at(layers=3)`."""
        return replace(self, sizes=self.sizes._replace(**sizes))

    def draw(self):
        return torch.randint(self.sizes.vocab, (self.sizes.batch, self.sizes.query_len))

    def draw_padding_at_the_end(self):
        """A mask (batch, seq), another length a sentence."""
        sizes = self.sizes
        kept = torch.randperm(sizes.query_len - 1)[: sizes.batch] + 1
        return (torch.arange(sizes.query_len) < kept.unsqueeze(1)).long()

    def build(self, dropout=0.0, passes=False):
        """An encoder with a reference's weights, that reference, and the stack of stand-ins.

        Where these pass on what they are handed, the reference has no layers either.
        """
        sizes, stack = self.sizes, Stack(self.candidate.calls["EncoderLayer"], self.sizes)
        arguments = sizes.vocab, sizes.d_model, sizes.heads, sizes.d_ff
        computes = partial(
            stand_ins.encoder_layer, d_model=sizes.d_model, layers=0 if passes else sizes.layers
        )
        with self.candidate.stand_in(keeps=True, EncoderLayer=computes):
            encoder = self.candidate.build("Encoder", *arguments, sizes.layers, dropout, MAX_LEN)
        reference = Encoder(*arguments, 0 if passes and encoder.has_stand_in else sizes.layers)
        shake(reference)
        if self.candidate.own_parts:  # mild weights: a wild stack forgets what went into it
            _calm(reference)
        encoder.expect(lambda tokens, *_: (*tokens.shape, sizes.d_model))
        encoder.supply(lambda tokens, *mask: None if mask else torch.ones_like(tokens))
        if encoder.has_stand_in:
            encoder.load_state_dict(reference.state_dict(), strict=False)
        else:
            encoder.load_like(reference, self.draw())
        return encoder.eval(), reference, stack

    def hear_dropout(self, rate, tensors_agree):
        """What each layer is handed, and the answer, in evaluation and in training: tensors of shape
        (batch, seq, d_model).
        """
        (encoder, _, stack), tokens = self.build(dropout=rate, passes=True), self.draw()
        answer, again = encoder.each((tokens,), (tokens,))
        assert tensors_agree(again, answer), "What should dropout do in evaluation?"
        evaluated = [*stack.seen[: len(stack.seen) // 2], answer]
        stack.clear()
        dropped = encoder.train()(tokens)
        return evaluated, [*stack.seen, dropped]

    @staticmethod
    def stand_ins_in(encoder):
        """How many stand-ins it has registered, the same one counted once."""
        return len({module.identity for module in encoder.modules() if module.stand_in})

    @staticmethod
    def shapes_of_learned(encoder):
        return {p.identity: p.shape for p in encoder.parameters() if p.requires_grad}.values()

    def learns_as_much(self, encoder, reference):
        """Whether an encoder with layers of its own has the reference's parameters, or a few more."""
        least, count = len(list(reference.parameters())), len(self.shapes_of_learned(encoder))
        more = least // self.sizes.layers
        return least <= count < least + more and not encoder.has_stand_in

    def drops_all(self, tensors_agree, answer_or_none):
        """Whether nothing but norms is left where all is dropped, of an encoder with layers of its own.

        Some refuse that rate, and then nothing is known.
        """
        built = answer_or_none(lambda: self.build(dropout=ALWAYS))
        if built is None:
            return True
        encoder, reference, _ = built
        answer = encoder.train()(self.draw())
        left = torch.zeros(answer.shape)
        for layer in reference.layers:
            left = layer.layer_norm_2(layer.layer_norm_1(left))
        return tensors_agree(answer, left)


def _calm(reference):
    """Small weights, and norms that are not quite what they are when they are made."""
    for name, parameter in reference.layers.named_parameters():
        parameter.data.mul_(0.3)
        if "norm" in name and name.endswith("weight"):
            parameter.data.add_(1)


def every_token_learns(gradients, sizes):
    """Token 0 apart: many keep it for padding (`padding_idx=0`), and nobody asked them not to."""
    shape = sizes.vocab, sizes.d_model
    tables = [g for g in gradients.parameters.values() if g is not None and g.shape == shape]
    return any(bool((table[1:] != 0).any(-1).all()) for table in tables)


def is_dropped_once(rate, evaluated, trained, tensors_agree, number_is_close):
    """Whether the first layer is handed what the rate leaves, and nothing else is dropped: of two lists
    from `hear_dropout`.
    """
    if [x.shape for x in trained] != [x.shape for x in evaluated]:
        return False
    kept = trained[0] != 0
    close = [number_is_close(_share(kept), 1 - rate, within=0.08)]
    close += [  # in training it takes no more than in evaluation
        number_is_close(_share(x[kept] == 0), _share(y[kept] == 0), within=0.02)
        for x, y in zip(trained, evaluated, strict=True)
    ]
    return tensors_agree(trained[0][kept] * (1 - rate), evaluated[0][kept]) and all(close)


def _share(which):
    return which.double().mean().item()
