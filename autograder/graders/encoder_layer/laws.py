"""Laws that more than one exercise asks for, each said once: of an attention and a multi-head attention, and
of an encoder layer and an encoder.

Each law builds what it asks and draws its calls, from `layouts.py` or from `heads.py`: so a check is its
question and a line, `laws.later_keys_are_absent()`. An assert without words asks the check's question.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

import torch

from .reference import padding
from .relations import (
    IN_TRAINING,
    is_silent,
    lengths,
    loud_ends,
    pasts,
    some_positions,
    with_loud_last,
    without_padding,
)

TWICE = "Asked twice, your layer answers differently. What in it depends on chance?"
AGAIN = "Asked once more, your layer answers differently. Which tensor does it change?"
ZERO = "Your answer is zero everywhere, or holds what is no number. Where does that come from?"


@dataclass(frozen=True)
class Laws:
    """Of `asked`, an `AskedAttention` or an `AskedHeads`. Each raises `AssertionError` with a question."""

    asked: Any
    tensors_agree: Callable[..., bool]
    tensors_differ: Callable[..., bool]
    answer_or_none: Callable[..., Any]

    def at(self, **sizes):
        """The same laws, at other sizes: `laws.at(heads=1)`."""
        other = replace(self.asked, sizes=self.asked.sizes._replace(**sizes))
        return replace(self, asked=other)

    def answers_are(self, layer, expected, longer):
        """What `expected(query, key, value)` says, for all lengths that go together and those `longer`
        ones; and asking changes nothing.
        """
        query, key, value = self.asked.draw(*[self.asked.features] * 2)
        itself = [query] * 3  # a forgotten transpose works with it
        # by themselves and first: in whatever is recorded behind them, chance would have a part
        own, again = layer.each(itself, itself)
        _alike(again, own)
        half_itself = (query, query, value), (query, key, key)  # which some take for self-attention
        calls = [self.asked.draw(*both) for both in lengths(self.asked.sizes)]
        calls += [loud_ends(*self.asked.draw(*both, few=True)) for both in longer]
        calls += half_itself
        answers, unchanged = layer.each(*calls), layer.unchanged(*calls[0])
        for call, answer in zip([itself, *calls], [own, *answers], strict=True):
            assert self.tensors_agree(answer, expected(*call))
        assert self.tensors_agree(unchanged, answers[0]), AGAIN

    def mask_may_be_left_out(self):
        layer, call = self.asked.build().supply(None), self.asked.draw_square()
        left_out = self.asked.answered(layer, *call)
        assert self.tensors_agree(left_out, layer(*call, None))

    def output_comes_alone(self):
        layer, call = self.asked.build(), self.asked.draw_square()
        answer = layer.alone(*call)
        assert self.tensors_agree(answer, answer), ZERO
        self.asked.answered(layer, *call)

    def training_changes_nothing(self, layer):
        call = self.asked.draw_square()
        evaluated = self.asked.answered(layer, *call)
        assert self.tensors_agree(layer.train()(*call), evaluated)

    def padding_is_absent(self, dtype=torch.int64):
        """A key that is padding is as good as not there, whatever its value. Return the layer, the calls
        (query, key, value, mask), and its answers.
        """
        asked, layer = self.asked, self.asked.build()
        both = asked.sizes.query_len, asked.sizes.key_len
        quiet = asked.draw()
        loud = [asked.draw(), asked.draw(*both[1:] * 2), asked.draw(*asked.longer[0], few=True)]
        loud.append(asked.draw(*both[::-1]))
        calls = [_padded(*quiet), *(asked.hide(*_padded(*call)) for call in loud)]
        calls.append(_padded(*quiet[1:2] * 3))  # self-attention
        calls = [(*call, mask.to(dtype)) for *call, mask in calls]
        kept = [without_padding(*call) for call in calls]
        open_to_all = (*quiet, torch.ones_like(calls[0][3]))
        first, trained = layer.unchanged(*calls[1]), layer.train()(*calls[1])
        visible, *answers = layer.eval().each(open_to_all, *calls, *chain(*kept))
        masked, alone = answers[: len(calls)], iter(answers[len(calls) :])
        bare = self.answer_or_none(lambda: layer(*quiet))
        _alike(masked[1], first)
        assert self.tensors_differ(masked[0], visible), (
            "With the mask and without it, your answer is the same. Where does the mask act?"
        )
        assert bare is None or self.tensors_agree(visible, bare), (
            "A mask that hides nothing changes your answer. What else does it change?"
        )
        for answer, sentences in zip(masked, kept, strict=True):
            assert self.tensors_agree(answer, torch.cat([next(alone) for _ in sentences]))
        assert is_silent(trained), IN_TRAINING
        return layer, calls, masked

    def later_keys_are_absent(self):
        """Asked for `mask_future`, a query sees no key behind its own position, also beside padding."""
        asked, (seeing, blind) = self.asked, self.asked.build_both()
        calls = [asked.draw(*both) for both in lengths(asked.sizes)[:4]]
        calls.append(calls[0][:1] * 3)  # self-attention
        longer = [asked.draw(*both, few=True) for both in asked.longer]
        once, *answers = blind.each(calls[0], *calls)
        _alike(answers[0], once)
        seen = seeing(*calls[0])
        long = blind.each(*longer)  # by themselves: only of these may one be too long
        pasts = seeing.each(*_all_pasts(calls + longer))
        trained = blind.train()(*with_loud_last(*calls[0]))
        assert self.tensors_differ(once, seen), (
            "With `mask_future=True` and without, your answer is the same. Where is it used?"
        )
        self._see_their_past(answers + long, pasts)
        assert is_silent(trained), IN_TRAINING
        padded = [_padded(*call) for call in calls]
        alone = self.answer_or_none(lambda: seeing.each(*_all_pasts(padded)))
        if alone:
            self._see_their_past(
                blind.eval().each(*padded),
                alone,
                "What happens to a key that is padding and one that is later, if both masks act?",
            )

    def _see_their_past(self, answers, alone, message=""):
        """`alone` are the answers to `pasts` of the same calls, one after another."""
        rest = iter(alone)
        for answer in answers:
            some = some_positions(answer)
            past = torch.cat([next(rest) for _ in some], -2)
            assert self.tensors_agree(answer[..., some, :], past), message


@dataclass(frozen=True)
class TokenLaws:
    """What holds for layers that take tokens alone: x is (batch, seq, features), or (batch, seq)."""

    tensors_agree: Callable[..., bool]
    tensors_differ: Callable[..., bool]
    answer_or_none: Callable[..., Any]

    def mask_may_be_left_out(self, layer, x):
        layer.supply(None)
        without, none, again = layer.each((x,), (x, None), (x,))
        chance = not torch.allclose(again, without)  # another check asks for that
        assert self.tensors_agree(none, without) or chance, (
            "Without a mask and with `None` your answers differ. What stands for no mask?"
        )

    def padding_is_absent(self, layer, x, mask):
        """Tokens that are kept are answered as if the others were not there; return that answer."""
        calls = [(x[i, kept][None], mask[i, kept][None]) for i, kept in enumerate(mask != 0)]
        answer = layer(x, mask)
        open_to_all, *alone = layer.each((x, torch.ones_like(mask)), *calls)
        by_truths = layer(x, mask.bool())
        assert self.tensors_differ(answer, open_to_all), (
            "With the mask and without it, your answer is the same. Who gets to see the mask?"
        )
        kept = torch.cat([tokens.squeeze(0) for tokens in alone])
        assert self.tensors_agree(answer[mask != 0], kept)
        assert self.tensors_agree(by_truths, answer), (
            "With a mask of True and False your answer is another than with one of 1 and 0. Why?"
        )
        changed = self.answer_or_none(lambda: layer.unchanged(x, mask)) is None
        assert (
            not changed or self.answer_or_none(lambda: layer.unchanged(x)) is None
        ), (  # or it is x
            "After the call the mask is another. Which line changes it in place?"
        )
        return answer

    def training_changes_nothing_of_it(self, layer, x, mask, answer):
        """What `padding_is_absent` returned is also the answer in training, of what nothing is dropped of."""
        once, again = layer.train().each((x, mask), (x, mask))
        chance, kept = not torch.equal(once, again), mask != 0
        assert chance or self.tensors_agree(once[kept], answer[kept]), IN_TRAINING


def _padded(query, key, value):
    return query, key, value, padding(len(key), key.size(-2))


def _all_pasts(calls):
    return [past for call in calls for past in pasts(*call)]


def _alike(answer, other):
    assert torch.equal(answer.nan_to_num(), other.nan_to_num()), TWICE
