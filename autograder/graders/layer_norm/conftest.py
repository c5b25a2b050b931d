"""Fixtures of these graders; each is made anew for every try at a check.

def test_tokens_are_normalised(layer, x, tensors_agree):
    assert tensors_agree(layer(x), normalise(x))
"""

from functools import partial

import pytest
import torch

from . import played
from .calculations import (
    PRINTED,
    first_wrong_step,
    is_as_large,
    is_printed,
    numbers_of,
    right_steps,
    unwrapped,
    values_that_follow,
)
from .norms import build, draw_sizes, normalised, tokens

WORDS = "batch", "positions", "both", "neither"
OF_TOKENS = (
    "What does your test say of a norm that sees one token at a time, whatever it makes of it?"
)


@pytest.fixture
def x():
    """(batch, seq, d_model), each another number; no two tokens have the same mean and deviation."""
    return tokens(*draw_sizes())


@pytest.fixture
def added(x):
    """What a sub-layer returned for x, twice as large: (batch, seq, d_model)."""
    return 2 * tokens(*x.shape)


@pytest.fixture
def layer(candidate, x):
    """Their `LayerNorm` for x, with the default eps."""
    return build(candidate, x.size(-1))


@pytest.fixture
def answer(layer, x):
    """What their `LayerNorm` makes of x, (batch, seq, d_model): of one that does not normalise at all
    nobody can ask how it does it.
    """
    return normalised(layer, x)


@pytest.fixture
def entry(candidate):
    """entry("add and norm", "mean"): what the student assigned there in `slips`."""
    return lambda *keys: unwrapped(candidate.entry("slips", *keys))


@pytest.fixture
def own_steps(entry, answer_or_none):
    """own_steps("add and norm"): the student's numbers by step, but for steps that are still open; None
    where an answer has no numbers.
    """

    def find(calculation):
        answers = {
            step: answer_or_none(partial(entry, calculation, step)) for step in PRINTED[calculation]
        }
        return {step: numbers_of(one) for step, one in answers.items() if one is not None}

    return find


@pytest.fixture
def is_calculated(own_steps, noted):
    """is_calculated("add and norm"): whether the student has, for one step at least, another number than
    the printed one, about as large as the right one. Otherwise it is noted which ones are printed.
    """

    def ask(calculation):
        right, own = right_steps(calculation), own_steps(calculation)
        printed = {step: is_printed(calculation, step, numbers) for step, numbers in own.items()}
        if any(is_as_large(own[step], right[step]) for step in own if not printed[step]):
            return True
        noted(list(printed.values()))
        return False

    return ask


@pytest.fixture
def step_agrees(entry, own_steps, is_calculated, values_agree):
    """step_agrees("add and norm", "mean"): whether a step is right, or follows from the student's own
    steps before it. A calculation copied is none.
    """

    def agrees(calculation, name):
        answer, own = entry(calculation, name), own_steps(calculation)
        assert len(own) < len(PRINTED[calculation]) or is_calculated(calculation), (
            "These lines stand as they are printed, each of them. One is wrong: what do you get for it?"
        )
        follow = values_that_follow(calculation, name, own)
        return any(values_agree(answer, value.tolist(), as_decimals=True) for value in follow)

    return agrees


@pytest.fixture
def names_the_slip(entry, is_calculated, values_agree):
    """names_the_slip("add and norm"): whether the first wrong step is named, alone or as the one step
    that a sentence names. A name beside which nothing is calculated may be guessed.
    """

    def names(calculation):
        answer = entry(calculation, "first wrong step")
        if isinstance(answer, str):
            named = [step for step in PRINTED[calculation] if step in answer.casefold()]
            answer = named[0] if len(named) == 1 else answer
        assert is_calculated(calculation), (
            "A name alone may be guessed. Which number do you get where another is printed?"
        )
        return values_agree(answer, first_wrong_step(calculation))

    return names


@pytest.fixture
def answers(candidate, values_agree):
    """answers(norm, ...): what the student's test says of each played norm; each answer has to be one of
    the four words. The norms are played in random order: to count them is no test.
    """

    def ask(*norms, batch=played.BATCH, seq=played.SEQ, unchanged=False):
        depends_on, said = candidate.function("depends_on"), {}
        for place in torch.randperm(len(norms)).tolist():
            norm, x = candidate.play(norms[place]), torch.randn(batch, seq, played.D_MODEL)
            said[place] = (depends_on.unchanged if unchanged else depends_on)(norm, x)
            assert any(values_agree(said[place], word) for word in WORDS), (
                "Which four words may your test return? Does each way through it return one?"
            )
        return [said[place] for place in range(len(norms))]

    return ask


@pytest.fixture
def calls(answers, values_agree):
    """calls("batch", norm, ...): whether the student's test says this word of each norm, and not of each
    one there is: it is also asked of one of which the word is not true.
    """

    def ask(word, *norms, **how):
        if word == "neither":
            norms = *norms, played.depending(played.everybody)
            question = "What does your test say of a norm that sees all tokens?"
        else:
            norms = *norms, played.draw_norm_of_tokens()
            question = OF_TOKENS
        *said, of_another = answers(*norms, **how)
        assert not values_agree(of_another, word), question
        return values_agree(said, [word] * len(said))

    return ask


@pytest.fixture
def notices(answers, values_agree):
    """notices(norm, ...): whether the student's test notices something in each norm, and not in `own`,
    which is of single tokens.
    """

    def ask(*norms, own=None, **sizes):
        said = answers(*norms, own or played.draw_norm_of_tokens(), **sizes)
        *noticed, own = [not values_agree(answer, "neither") for answer in said]
        assert not own, OF_TOKENS
        return all(noticed)

    return ask
