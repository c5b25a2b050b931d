"""Values are compared as a person would compare them, and no more generously."""

import math

import pytest
import torch

from autograder.engine.examiner import forgiving

MEAN, VARIANCE = 2.625, 1.156875  # of [1.5, 1.7, 3.2, 4.1]


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (1.157, VARIANCE),
        (1.16, VARIANCE),  # three digits that count
        (1.15, VARIANCE),  # cut off instead of rounded
        ("1.157", VARIANCE),
        ("1,157", VARIANCE),
        (torch.tensor(1.157), VARIANCE),
        (torch.tensor([1.157], dtype=torch.float64), VARIANCE),
        (-0.04, -0.043 + 0.0021),
        (3, 3.0),
        (1e-9, 0),
        ((1.5, "1.7", 3.2), [1.5, 1.7, 3.2]),
        (torch.tensor([1.5, 1.7, 3.2]), [1.5, 1.7, 3.2]),
        ([[1, 2], [3, 4]], torch.tensor([[1, 2], [3, 4]])),
        (" Both", "both"),
        ("first-wrong step", "first_wrong_step"),
        (True, True),
        ("true", True),
        (0, False),
        ("No", False),
        (torch.tensor(True), True),
        ([torch.tensor(1) > 2], [False]),
        ({"Mean ": "2.63", "n": 4}, {"mean": MEAN}),
        (None, None),
    ],
)
def test_a_person_would_accept_it(answer, expected):
    assert forgiving.agrees(answer, expected, digits=3)


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (1.359, VARIANCE),
        (1.5425, VARIANCE),
        (1.2, VARIANCE),
        (-VARIANCE, VARIANCE),
        (True, 1),
        (None, 0),
        (math.nan, VARIANCE),
        (math.inf, VARIANCE),
        (10**400, VARIANCE),
        ("one", 1),
        ("", 0),
        ([], 0),
        (torch.ones(2), 1),
        (torch.ones(2, dtype=torch.bool), True),
        ([1.7, 1.5], [1.5, 1.7]),
        ([1.5], [1.5, 1.7]),
        ("1.5, 1.7", [1.5, 1.7]),
        ("positions", "batch"),
        (1, "1"),
        (2, True),
        (1.0, 10**400),
        (10**400, 10**400),
        (1.0, math.nan),
        (torch.ones(1001), torch.ones(1001)),
        (torch.tensor(0.5), True),
        ("maybe", True),
        ({}, {"mean": MEAN}),
        ([("mean", MEAN)], {"mean": MEAN}),
        (0, None),
    ],
)
def test_a_person_would_not(answer, expected):
    assert not forgiving.agrees(answer, expected, digits=3)


def test_the_last_digit_is_of_those_that_were_asked_for():
    assert forgiving.agrees(1234, 1234.4, digits=3) and forgiving.agrees(1230, 1234.4, digits=3)
    assert not forgiving.agrees(1210, 1234.4, digits=3) and not forgiving.agrees(
        1230, 1234.4, digits=4
    )
    assert forgiving.agrees(0.0004, 0, digits=3) and not forgiving.agrees(0.004, 0, digits=3)


def test_keys_are_found_where_no_other_is_meant():
    values = {"10*x": 1, "X + 100": 2, 3: 3, "same": None}
    assert [forgiving.entry(values, key) for key in ("10 * x", "x + 100", "3")] == [1, 2, 3]
    assert forgiving.has_entry(values, "same") and not forgiving.has_entry(values, "x - 100")
    twice = {"Mean": 1, "mean ": 2}
    assert (
        not forgiving.has_entry(twice, "mean") and forgiving.entry(twice | {"mean": 3}, "mean") == 3
    )
