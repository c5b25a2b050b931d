"""Shares are even, and told by hashes: few answers move when others come or go."""

from collections import Counter

import pytest

from autograder.staff.marking.split import ANSWER, STUDENT, Split

CLASS = [f"s{number:03}" for number in range(300)]
EXERCISES = "first", "second"
PAIRS = [(student, exercise) for student in CLASS for exercise in EXERCISES]


def sizes(split: Split) -> list[int]:
    return sorted(Counter(split.first(*answer) for answer in split.answers).values())


@pytest.mark.parametrize("by", [STUDENT, ANSWER])
def test_each_answer_has_one_tutor_and_shares_are_even(by):
    split = Split("sheet", PAIRS, 5, by)
    assert sizes(split) == [120] * 5
    together = [
        split.first(student, "first") == split.first(student, "second") for student in CLASS
    ]
    assert all(together) == (by == STUDENT)


@pytest.mark.parametrize("count", [1, 4, 5, 91, 94, 299])
def test_shares_differ_by_one_answer_at_most(count):
    split = Split("sheet", PAIRS[: 2 * count : 2], 5)
    found = sizes(split)
    assert sum(found) == count and (len(found) < 5 or found[-1] - found[0] <= 1)
    assert count != 94 or found == [18, 19, 19, 19, 19]


def test_what_a_student_wrote_stays_together_and_shares_differ_by_one_student():
    some = [pair for number, pair in enumerate(PAIRS[:188]) if number % 7]
    split = Split("sheet", some, 5)
    found = sizes(split)
    assert sum(found) == len(some) and found[-1] - found[0] <= 2


def test_when_others_come_most_answers_stay():
    before, after = Split("sheet", PAIRS[:188], 5), Split("sheet", PAIRS[:200], 5)
    moved = [pair for pair in PAIRS[:188] if before.first(*pair) != after.first(*pair)]
    assert len(moved) <= 24


def test_another_tutor_takes_answers_from_the_others_and_moves_few_between_them():
    five, six = Split("sheet", PAIRS, 5), Split("sheet", PAIRS, 6)
    moved = Counter(six.first(*pair) for pair in PAIRS if five.first(*pair) != six.first(*pair))
    assert moved[6] == 100 and moved.total() <= 160


def test_another_sheet_is_split_in_another_way():
    one, other = Split("sheet", PAIRS, 5), Split("sheet-2", PAIRS, 5)
    assert any(one.first(*pair) != other.first(*pair) for pair in PAIRS)


def test_a_tenth_is_marked_twice_by_two_tutors():
    split = Split("sheet", PAIRS, 5, second_percent=10.0)
    chosen = {pair: split.second(*pair) for pair in PAIRS if split.second(*pair)}
    assert len(chosen) == len(PAIRS) / 10
    assert all(second != split.first(*pair) for pair, second in chosen.items())
    assert len(set(chosen.values())) == 5
    more = Split("sheet", PAIRS, 5, second_percent=20.0)
    assert {pair: more.second(*pair) for pair in chosen} == chosen  # others come, none goes


def test_of_few_answers_at_least_one_is_marked_twice():
    split = Split("sheet", PAIRS[:4], 2, second_percent=10.0)
    assert sum(split.second(*pair) is not None for pair in PAIRS[:4]) == 1


def test_none_or_all_are_marked_twice_and_one_tutor_is_the_only_one():
    assert not any(Split("sheet", PAIRS, 2).second(*pair) for pair in PAIRS)
    everything = Split("sheet", PAIRS, 2, second_percent=100.0)
    assert all(everything.second(*pair) == 3 - everything.first(*pair) for pair in PAIRS)
    assert Split("sheet", PAIRS, 1, second_percent=100.0).second("s001", "first") == 1
