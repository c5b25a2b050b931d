"""Who marks what is told by hashes: nobody's answers move when others come or go."""

from collections import Counter

import pytest

from autograder.marking.split import ANSWER, STUDENT, Split

CLASS = [f"s{number:03}" for number in range(300)]
EXERCISES = "first", "second"
PAIRS = [(student, exercise) for student in CLASS for exercise in EXERCISES]


@pytest.mark.parametrize("by", [STUDENT, ANSWER])
def test_each_answer_has_one_tutor_and_shares_are_about_equal(by):
    split = Split("sheet", 5, by)
    counts = Counter(split.first(*pair) for pair in PAIRS)
    assert counts.keys() == {1, 2, 3, 4, 5} and sum(counts.values()) == len(PAIRS)
    assert all(80 < count < 160 for count in counts.values())
    together = [
        split.first(student, "first") == split.first(student, "second") for student in CLASS
    ]
    assert all(together) == (by == STUDENT)


def test_another_tutor_takes_answers_from_the_others_and_moves_none_between_them():
    five, six = Split("sheet", 5), Split("sheet", 6)
    moved = [pair for pair in PAIRS if five.first(*pair) != six.first(*pair)]
    assert 60 < len(moved) < 140 and {six.first(*pair) for pair in moved} == {6}


def test_another_sheet_is_split_in_another_way():
    one, other = Split("sheet", 5), Split("sheet-2", 5)
    assert any(one.first(*pair) != other.first(*pair) for pair in PAIRS)


def test_a_tenth_is_marked_twice_by_two_tutors():
    split = Split("sheet", 5, second_percent=10.0)
    chosen = {pair: split.second(*pair) for pair in PAIRS if split.second(*pair)}
    assert 40 < len(chosen) < 80
    assert all(second != split.first(*pair) for pair, second in chosen.items())
    assert len(set(chosen.values())) == 5
    more = Split("sheet", 5, second_percent=20.0)
    assert {pair: more.second(*pair) for pair in chosen} == chosen  # others come, none goes


def test_none_or_all_are_marked_twice_and_one_tutor_is_the_only_one():
    assert not any(Split("sheet", 2).second(*pair) for pair in PAIRS)
    everything = Split("sheet", 2, second_percent=100.0)
    assert all(everything.second(*pair) == 3 - everything.first(*pair) for pair in PAIRS)
    assert Split("sheet", 1, second_percent=100.0).second("s001", "first") == 1
