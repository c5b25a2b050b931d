"""Mistakes fill holes of the solution, are told apart, and can be made together."""

from collections import Counter

import pytest
from courses import ASSIGNMENTS, each_assignment

from autograder.engine import GraderError
from autograder.mistakes.mistake import merge, mistakes, pairs

CATALOGUE = [(assignment, one) for assignment in ASSIGNMENTS for one in mistakes(assignment)]


@each_assignment
def test_each_mistake_has_a_name_of_its_own(assignment):
    names = Counter((mistake.exercise, mistake.id) for mistake in mistakes(assignment))
    assert max(names.values()) == 1


@pytest.mark.parametrize(
    ("assignment", "mistake"),
    CATALOGUE,
    ids=[f"{one.id}, {mistake.exercise}: {mistake.id}" for one, mistake in CATALOGUE],
)
def test_every_way_of_a_mistake_is_code_and_its_sentence_is_one(assignment, mistake):
    solution = assignment.solutions[mistake.exercise]
    for cell in mistake.cells:
        compile(cell, mistake.id, "exec")
        assert cell != solution
    assert (mistake.sentence[0].isupper() or mistake.sentence[0] == "`") and mistake.sentence[
        -1
    ] in ".?"


def test_a_mistake_that_no_longer_fits_the_solution_is_a_fault_of_ours(copied):
    source = copied.source.read_text()
    copied.source.write_text(source.replace("; root = .rsqrt()", ""))
    with pytest.raises(
        GraderError, match=r"`mistakes/rms_norm.md`, line 7: there is no hole `root`"
    ):
        mistakes(copied)


def test_two_changes_are_merged_unless_they_meet():
    assert merge("a b c d", "x b c d", "a b c y") == "x b c y"
    assert merge("a b c d", "a x c d", "a y c d") is None
    assert merge("a b", "a x b", "a y b") is None  # both put something into one place


def test_mistakes_come_in_the_order_of_the_exercises(small):
    assert [one.id for one in mistakes(small)] == [
        *("mean_not_root", "no_scale", "another_axis", "overflow", "weights_grow")
    ]


def test_pairs_are_those_that_are_named(small):
    (pair,) = pairs(small)
    assert [one.id for one in pair] == ["mean_not_root", "no_scale"]


def test_a_pair_of_a_mistake_that_there_is_not_is_a_fault_of_ours(copied):
    listed = copied.graders / "mistakes" / "rms_norm.md"
    listed.write_text(listed.read_text().replace("rms_norm/no_scale", "rms_norm/nothing"))
    with pytest.raises(GraderError, match="line 5: there is no mistake `rms_norm/nothing`"):
        pairs(copied)
