"""Shares are even, and told by hashes: few answers move when others come or go."""

from collections import Counter

import pytest

from autograder.desk.marking.shares import ANSWER, STUDENT, marked_twice, split

CLASS = [f"s{number:03}" for number in range(300)]
PAIRS = [(student, exercise) for student in CLASS for exercise in ("first", "second")]


def first_tutors(*args) -> dict:
    """Who marks each answer."""
    return {answer: tutors[0] for answer, tutors in split(*args).items()}


def sizes(shares: dict) -> list[int]:
    return sorted(Counter(shares.values()).values())


@pytest.mark.parametrize("by", [STUDENT, ANSWER])
def test_each_answer_has_one_tutor_and_shares_are_even(by):
    shares = first_tutors("sheet", PAIRS, 5, by)
    assert sizes(shares) == [120] * 5 and set(shares.values()) == {1, 2, 3, 4, 5}
    together = [shares[student, "first"] == shares[student, "second"] for student in CLASS]
    assert all(together) == (by == STUDENT)


@pytest.mark.parametrize("count", [1, 4, 5, 91, 94, 299])
def test_shares_differ_by_one_answer_at_most(count):
    counts = sizes(first_tutors("sheet", PAIRS[: 2 * count : 2], 5))
    assert sum(counts) == count and (len(counts) < 5 or counts[-1] - counts[0] <= 1)
    assert count != 94 or counts == [18, 19, 19, 19, 19]


def test_what_a_student_wrote_stays_together_and_shares_differ_by_one_student():
    answers = [pair for number, pair in enumerate(PAIRS[:188]) if number % 7]
    shares = first_tutors("sheet", answers, 5)
    tutors_of = {
        student: {shares[pair] for pair in answers if pair[0] == student} for student in CLASS
    }
    assert all(len(tutors) <= 1 for tutors in tutors_of.values())
    counts = sizes(shares)
    assert sum(counts) == len(answers) and counts[-1] - counts[0] <= 2


def test_when_others_come_or_another_tutor_most_answers_stay():
    before, after = first_tutors("sheet", PAIRS[:188], 5), first_tutors("sheet", PAIRS[:200], 5)
    assert sum(before[pair] != after[pair] for pair in before) <= 24
    five, six = first_tutors("sheet", PAIRS, 5), first_tutors("sheet", PAIRS, 6)
    moved = Counter(six[pair] for pair in PAIRS if five[pair] != six[pair])
    assert moved[6] == 100 and moved.total() <= 160


def test_a_second_mark_is_another_tutors_and_all_tutors_get_some():
    tutors = split("sheet", PAIRS, 5).values()
    assert all(sorted(ranked) == [1, 2, 3, 4, 5] for ranked in tutors)
    assert {ranked[1] for ranked in tutors} == {1, 2, 3, 4, 5}


def test_another_sheet_is_split_in_another_way_and_the_order_of_answers_makes_no_difference():
    shares = first_tutors("sheet", PAIRS, 5)
    assert shares != first_tutors("sheet-2", PAIRS, 5)
    assert shares == first_tutors("sheet", PAIRS[::-1], 5)


def test_a_tenth_is_marked_twice_and_of_few_at_least_one():
    chosen = marked_twice("sheet", PAIRS, 10.0)
    assert len(chosen) == len(PAIRS) / 10
    assert chosen < marked_twice("sheet", PAIRS, 20.0)  # others come, none goes
    assert len(marked_twice("sheet", PAIRS[:4], 10.0)) == 1
    assert not marked_twice("sheet", PAIRS, 0.0)
    assert marked_twice("sheet", PAIRS, 100.0) == set(PAIRS)
