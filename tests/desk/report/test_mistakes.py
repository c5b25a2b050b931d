"""What mistakes cost a class, which are gone, and where the points went."""

import pytest
from invented_class import STAMP

from autograder import CheckResult, ExerciseResult, NamedMistake, Verdict
from autograder.desk.report.class_results import ClassResults
from autograder.desk.report.items import check_items, exercise_items
from autograder.desk.report.mistakes import gone_mistakes, losses, mistakes_in
from autograder.engine.verdicts.verdict import EarlierMistake

UNSCALED = NamedMistake("unscaled", "The scores are not scaled.")
MASK = NamedMistake("mask_ignored", "The mask has no effect.")


def exercise(points: float, *made: NamedMistake, state="answered", gone=(), id="attention"):
    """Out of 4: two points for the shape, which are lost last."""
    shape = min(points, 2.0)
    checks = [
        CheckResult("test_shape", shape, 2.0, shape == 2, None if shape == 2 else "Which shape?"),
        CheckResult(
            "test_values", points - shape, 2.0, points == 4, None if points == 4 else "Why?"
        ),
    ]
    return ExerciseResult(id, state, points, 4.0, checks, [*made], [*gone])


def verdict(student: str, *exercises: ExerciseResult, state="graded", **more) -> Verdict:
    points = sum(one.points for one in exercises)
    return Verdict(student, "sheet", state, points, 4.0, [*exercises], [], 0.1, STAMP, **more)


@pytest.fixture
def results() -> ClassResults:
    return ClassResults(
        "sheet",
        [
            verdict("ada", exercise(4.0)),
            verdict("ben", exercise(2.0, UNSCALED)),
            verdict("cleo", exercise(1.0, UNSCALED, MASK)),
            verdict("dan", exercise(2.0)),
            verdict("eva", exercise(2.0)),
            verdict("finn", exercise(0.0, state="timed_out")),
            verdict("gia", exercise(0.0, state="not_attempted")),
            verdict("hugo", state="unreadable", reason="empty"),
        ],
        expected=frozenset(["ada", "zoe"]),
    )


def test_several_mistakes_share_what_was_lost_in_their_exercise(results):
    first, second = (one for one in mistakes_in(results) if one.is_known)
    assert (first.id, first.students, first.cost) == ("unscaled", ["ben", "cleo"], 2 + 1.5)
    assert (second.id, second.students, second.cost) == ("mask_ignored", ["cleo"], 1.5)


def test_every_lost_point_has_one_reason(results):
    found = {one.reason: (one.points, one.students) for one in losses(results)}
    assert found == {
        "known mistakes": (5, 2),
        "no known mistake": (4, 2),
        "ran out of time": (4, 1),
        "not attempted": (4, 1),
        "unreadable": (4, 1),
        "not handed in": (4, 1),
    }
    had = sum(verdict.points for verdict in results.verdicts)
    assert sum(one.points for one in losses(results)) == 9 * 4 - had


def test_mistakes_of_earlier_submissions_are_gone_or_cannot_be_told():
    earlier = [EarlierMistake("attention", "unscaled", UNSCALED.sentence)]
    results = ClassResults(
        "sheet",
        [
            verdict("ada", exercise(4.0, gone=[UNSCALED])),
            verdict("ben", exercise(4.0, gone=[UNSCALED, MASK])),
            verdict("cleo", exercise(0.0, state="crashed"), earlier=earlier),
            verdict("dan", state="unreadable", reason="empty", earlier=earlier),
        ],
    )
    first, second = gone_mistakes(results)
    assert (first.id, first.gone, first.unclear) == ("unscaled", ["ada", "ben"], ["cleo", "dan"])
    assert (second.id, second.gone, second.unclear) == ("mask_ignored", ["ben"], [])


def test_a_check_without_a_known_mistake_is_said_with_the_question_that_several_were_asked(results):
    found = mistakes_in(results)
    assert [one.is_known for one in found] == [False, True, True]  # the most expensive first
    assert (found[0].id, found[0].students, found[0].cost) == ("test_values", ["dan", "eva"], 4)
    assert found[0].sentence.endswith("this check failed: values. It asked: Why?")
    (alone,) = mistakes_in(ClassResults("sheet", [verdict("dan", exercise(2.0))]))
    assert alone.sentence.endswith("failed: values.")  # it may quote the one who was asked


def test_an_item_counts_those_who_attempted_it(results):
    (item,) = exercise_items(results)
    assert (item.attempted, item.passed) == (6, 1)
    assert item.share == pytest.approx((4 + 2 + 1 + 2 + 2 + 0) / 24)
    shape, values = check_items(results, "attention")
    assert (shape.name, shape.attempted, shape.passed) == ("shape", 6, 4)
    assert (values.name, values.passed, values.share) == ("values", 1, pytest.approx(1 / 6))
