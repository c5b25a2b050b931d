"""Exercise 4: two printed calculations with a mistake in each.

Every entry is graded by itself, and what follows from a student's own step before it is right.
"""

from functools import partial

import pytest
import torch

from .reference import PRINTED, first_wrong_step, right_steps

ADD, FEED = "add and norm", "feed forward"
COPIED = (
    "These lines stand as they are printed, each of them. One is wrong: what do you get for it?"
)


@pytest.fixture
def entry(candidate):
    """What the student assigned under a calculation and a step; a row of a table counts as the row."""

    def find(*keys):
        found = candidate.entry("slips", *keys)
        while isinstance(found, list | tuple | torch.Tensor) and _length(found) == 1:
            found = found[0]
        return found

    return find


@pytest.fixture
def step_agrees(entry, values_agree, answer_or_none):
    """Whether a step is right, or follows from the student's own steps before it: one of them, or
    all of them. What follows has to have different numbers, about as large as the right ones: of zeros
    only zeros follow, and behind a huge variance anything does. A calculation copied is none.
    """

    def agrees(calculation, name, *before):
        answer, right = entry(calculation, name), right_steps(calculation)
        printed = PRINTED[calculation]

        def found(step):
            return _numbers(answer_or_none(partial(entry, calculation, step)))

        own = {step: found(step) for step in before}
        own = {step: numbers for step, numbers in own.items() if _is_as_large(numbers, right[step])}
        assert any(_differs(found(step), printed[step]) for step in reversed(printed)), COPIED
        taken = [{}, *({step: numbers} for step, numbers in own.items()), own]
        follows = (right_steps(calculation, **steps)[name] for steps in taken)
        expected = (value for value in follows if _is_as_large(value, right[name]))
        return any(values_agree(answer, value.tolist()) for value in expected)

    return agrees


@pytest.fixture
def names_the_slip(entry, values_agree):
    """Whether the first wrong step is named: alone, or as the one step that a sentence names."""

    def names(calculation):
        answer = entry(calculation, "first wrong step")
        if isinstance(answer, str):
            named = [step for step in right_steps(calculation) if step in answer.casefold()]
            answer = named[0] if len(named) == 1 else answer
        return values_agree(answer, first_wrong_step(calculation))

    return names


@pytest.mark.points(0.5)
def test_first_wrong_step_of_add_and_norm(names_the_slip):
    assert names_the_slip(ADD), (
        "Add and norm, as printed: which step, computed of the printed line before it, comes out as "
        "another number?"
    )


@pytest.mark.points(0.25)
def test_sum(step_agrees):
    assert step_agrees(ADD, "sum"), "The sum: which two vectors are added, feature by feature?"


@pytest.mark.points(0.25)
def test_mean(step_agrees):
    assert step_agrees(ADD, "mean", "sum"), "The mean: of which four numbers?"


@pytest.mark.points(0.5)
def test_variance(step_agrees):
    assert step_agrees(ADD, "variance", "sum", "mean"), (
        "The variance: how far is each number of the sum from the mean, what is done to these "
        "distances, and by how many is their total divided?"
    )


@pytest.mark.points(0.25)
def test_normalised(step_agrees):
    assert step_agrees(ADD, "normalised", "sum", "mean", "variance"), (
        "Normalised: each number minus the mean, over what? Have your four numbers the mean 0 and "
        "the variance 1?"
    )


@pytest.mark.points(0.5)
def test_first_wrong_step_of_feed_forward(names_the_slip):
    assert names_the_slip(FEED), (
        "Feed forward, as printed: which step, computed of the printed line before it, comes out "
        "as another?"
    )


@pytest.mark.points(0.25)
def test_hidden(step_agrees):
    assert step_agrees(FEED, "hidden"), (
        "Hidden: each unit is x times one column of W1, plus its entry of b1. Which numbers are in "
        "that column?"
    )


@pytest.mark.points(0.25)
def test_relu(step_agrees):
    assert step_agrees(FEED, "relu", "hidden"), (
        "The ReLU: what becomes of a negative number, and what of a positive one?"
    )


@pytest.mark.points(0.25)
def test_output(step_agrees):
    assert step_agrees(FEED, "output", "hidden", "relu"), (
        "The output: what goes into the second product, and along which side of W2 is the sum?"
    )


def _differs(numbers, printed):
    return numbers is None or not torch.equal(numbers, torch.tensor(printed))


def _is_as_large(numbers, right):
    """Whether they vary as much as the right ones, give or take a factor: then digits tell something."""
    if numbers is None or numbers.shape != right.shape:
        return False
    spread, usual = (one.max() - one.min() if one.dim() else one.abs() for one in (numbers, right))
    factor = 20 if right.dim() else 400  # a variance is a square
    return bool((usual / factor < spread) & (spread < factor * usual))


def _length(items):
    if isinstance(items, torch.Tensor):
        return items.shape[0] if items.dim() else 0
    return len(items)


def _number(item):
    return item.item() if isinstance(item, torch.Tensor) else float(str(item).replace(",", "."))


def _numbers(answer):
    """An answer as a tensor of numbers; None where it is none, or far too many."""
    if isinstance(answer, torch.Tensor) and answer.numel() > 100:
        return None
    items = answer.tolist() if isinstance(answer, torch.Tensor) else answer
    many = isinstance(items, list | tuple)
    try:
        found = [_number(item) for item in (items if many else [items])]
    except (ValueError, RuntimeError):
        return None
    numbers = torch.tensor(found if many else found[0])
    return numbers if numbers.isfinite().all() else None
