"""Mutants: the solution with one known mistake in it, or with two."""

import pytest

from autograder.mistakes.mistake import mistakes
from autograder.mistakes.mutants import Mutant, Mutants


@pytest.fixture
def catalogue(small):
    return Mutants(small)


def test_there_is_a_mutant_for_each_way_of_each_mistake(small, catalogue):
    ways = sum(len(mistake.cells) for mistake in mistakes(small))
    singles = [mutant for found in catalogue.singles.values() for mutant in found]
    assert len(singles) == ways and {m.mistakes[0].exercise for m in singles} == set(
        small.solutions
    )
    assert all(mutant.cell != small.solutions[mutant.mistakes[0].exercise] for mutant in singles)


def test_a_mutant_must_fail_what_catches_its_mistakes(catalogue):
    overflow = next(m for m in catalogue.singles["softmax"] if m.mistakes[0].id == "overflow")
    assert overflow.must_fail == {"test_large_scores_give_numbers"}


def test_two_mistakes_are_made_at_once_where_they_change_different_pieces(catalogue):
    first, *others = catalogue.singles["rms_norm"]
    scale = next(mutant for mutant in others if mutant.mistakes[0].id == "no_scale")
    pair = catalogue.pair(first, scale)
    assert ".reciprocal()" in pair.cell and "* self.weight" not in pair.cell
    assert [mistake.id for mistake in pair.mistakes] == ["mean_not_root", "no_scale"]
    same_piece = Mutant(scale.mistakes, first.cell.replace(".reciprocal()", ".neg()"))
    assert catalogue.pair(first, same_piece) is None


def test_its_code_can_be_asked_and_is_made_once(catalogue):
    mutant = catalogue.singles["softmax"][0]
    candidate = catalogue.candidate(mutant, stand_ins=None)
    candidate = candidate.for_check(double=False, own_parts=False)
    assert candidate.function("softmax")  # there
    assert catalogue.candidate(mutant, stand_ins=None).backend is candidate.backend


def test_answers_are_remembered_and_the_oldest_forgotten(catalogue, monkeypatch):
    monkeypatch.setattr("autograder.mistakes.mutants.REMEMBERED", 2)
    first = catalogue.trace(("first",))
    assert catalogue.trace(("first",)) is first
    for question in ("second", "third"):
        catalogue.trace((question,))
    assert catalogue.trace(("first",)) is not first
