"""Shares are even, and told by hashes: few answers move when others come or go."""

from collections import Counter

import pytest

from autograder.desk.marking.shares import ANSWER, STUDENT, marked_twice
from autograder.desk.marking.shares import split as tutors_of

CLASS = [f"s{number:03}" for number in range(300)]
EXERCISES = "first", "second"
PAIRS = [(student, exercise) for student in CLASS for exercise in EXERCISES]


def split(*args) -> dict:
    return {answer: tutors[0] for answer, tutors in tutors_of(*args).items()}


def sizes(shares: dict) -> list[int]:
    return sorted(Counter(shares.values()).values())


@pytest.mark.parametrize("by", [STUDENT, ANSWER])
def test_each_answer_has_one_tutor_and_shares_are_even(by):
    shares = split("sheet", PAIRS, 5, by)
    assert sizes(shares) == [120] * 5 and set(shares.values()) == {1, 2, 3, 4, 5}
    together = [shares[student, "first"] == shares[student, "second"] for student in CLASS]
    assert all(together) == (by == STUDENT)


@pytest.mark.parametrize("count", [1, 4, 5, 91, 94, 299])
def test_shares_differ_by_one_answer_at_most(count):
    found = sizes(split("sheet", PAIRS[: 2 * count : 2], 5))
    assert sum(found) == count and (len(found) < 5 or found[-1] - found[0] <= 1)
    assert count != 94 or found == [18, 19, 19, 19, 19]


def test_what_a_student_wrote_stays_together_and_shares_differ_by_one_student():
    some = [pair for number, pair in enumerate(PAIRS[:188]) if number % 7]
    shares = split("sheet", some, 5)
    found = sizes(shares)
    assert all(
        shares[who, what] == shares.get((who, "first"), shares[who, what]) for who, what in some
    )
    assert sum(found) == len(some) and found[-1] - found[0] <= 2


def test_when_others_come_most_answers_stay():
    before, after = split("sheet", PAIRS[:188], 5), split("sheet", PAIRS[:200], 5)
    assert sum(before[pair] != after[pair] for pair in before) <= 24


def test_another_tutor_takes_answers_from_the_others_and_moves_few_between_them():
    five, six = split("sheet", PAIRS, 5), split("sheet", PAIRS, 6)
    moved = Counter(six[pair] for pair in PAIRS if five[pair] != six[pair])
    assert moved[6] == 100 and moved.total() <= 160


def test_a_second_mark_is_another_tutors_and_all_tutors_get_some():
    tutors = tutors_of("sheet", PAIRS, 5).values()
    assert all(sorted(ranked) == [1, 2, 3, 4, 5] for ranked in tutors)
    assert {ranked[1] for ranked in tutors} == {1, 2, 3, 4, 5}


def test_another_sheet_is_split_in_another_way_and_the_order_of_answers_makes_no_difference():
    one, other = split("sheet", PAIRS, 5), split("sheet-2", PAIRS, 5)
    assert one != other and one == split("sheet", PAIRS[::-1], 5)


def test_a_tenth_is_marked_twice_and_of_few_at_least_one():
    chosen = marked_twice("sheet", PAIRS, 10.0)
    assert len(chosen) == len(PAIRS) / 10
    assert chosen < marked_twice("sheet", PAIRS, 20.0)  # others come, none goes
    assert len(marked_twice("sheet", PAIRS[:4], 10.0)) == 1
    assert not marked_twice("sheet", PAIRS, 0.0)
    assert marked_twice("sheet", PAIRS, 100.0) == set(PAIRS)
