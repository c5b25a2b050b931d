"""What mistakes cost a class, which go together, and where the points went."""

import pytest
from invented_class import STAMP

from autograder.engine.verdict import (
    CheckResult,
    EarlierMistake,
    ExerciseResult,
    NamedMistake,
    Verdict,
)
from autograder.report.class_results import ClassResults
from autograder.report.items import check_items, exercise_items
from autograder.report.mistakes import (
    gone_mistakes,
    losses,
    mistakes_in,
    together,
    unexplained,
)

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
    first, second = mistakes_in(results)
    assert (first.id, first.students, first.cost) == ("unscaled", ["ben", "cleo"], 2 + 1.5)
    assert (second.id, second.students, second.cost) == ("mask_ignored", ["cleo"], 1.5)


def test_every_lost_point_has_one_reason(results):
    found = {one.reason: (one.points, one.students) for one in losses(results)}
    assert found == {
        "known mistakes": (5, 2),
        "unexplained": (4, 2),
        "ran out of time": (4, 1),
        "not attempted": (4, 1),
        "unreadable": (4, 1),
        "not handed in": (4, 1),
    }
    had = sum(verdict.points for verdict in results.verdicts)
    assert sum(one.points for one in losses(results)) == 9 * 4 - had


def test_what_nothing_explains_is_said_with_the_question_that_several_were_asked(results):
    (found,) = unexplained(results)
    assert (found.check, found.students, found.cost) == ("values", ["dan", "eva"], 4)
    assert found.message == "Why?"
    alone = ClassResults("sheet", [verdict("dan", exercise(2.0))])
    assert unexplained(alone)[0].message == ""  # it may quote the one who was asked


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


def test_mistakes_that_go_together_are_found_and_those_by_chance_are_not():
    both, one, other = (exercise(0.0, *made) for made in ((UNSCALED, MASK), (UNSCALED,), (MASK,)))
    linked = [both] * 8 + [one] * 2 + [other] * 2 + [exercise(4.0)] * 28
    loose = [both] * 3 + [one] * 9 + [other] * 7 + [exercise(4.0)] * 21
    rare = [both] * 2 + [exercise(4.0)] * 38
    found = []
    for made in (linked, loose, rare):
        results = ClassResults("sheet", [verdict(f"s{k}", each) for k, each in enumerate(made)])
        found.append(together(mistakes_in(results), len(made)))
    (pair,), compared = found[0]
    assert (pair.both, pair.lift, compared) == (8, 3.2, 1)
    assert found[1] == ([], 1)
    assert found[2] == ([], 0)


def test_an_item_counts_those_who_attempted_it(results):
    (item,) = exercise_items(results)
    assert item.count == 6 and item.share.value == pytest.approx((4 + 2 + 1 + 2 + 2 + 0) / 24)
    shape, values = check_items(results)
    assert (shape.name, shape.count, shape.share.value) == ("shape", 6, pytest.approx(4 / 6))
    assert (values.name, values.share.value) == ("values", pytest.approx(1 / 6))
    assert item.discrimination is None  # there is no rest


def test_a_check_that_all_pass_or_fail_is_told_and_has_no_discrimination():
    made = [verdict(f"s{k}", exercise(2.0), exercise(k / 4, id="encoder")) for k in range(9)]
    shape, values, *_ = check_items(ClassResults("sheet", made))
    assert shape.everybody and not shape.nobody and shape.discrimination is None
    assert values.nobody and not values.everybody and values.share.high < 0.31


def test_the_discrimination_of_a_check_leaves_its_own_points_out():
    """Who has the first exercise lacks the second: with its own points in, it would look right."""
    made = [
        verdict(f"s{k}", exercise(4.0 * (k % 2)), exercise(2.0 * (k % 2 == 0), id="encoder"))
        for k in range(12)
    ]
    first, second = exercise_items(ClassResults("sheet", made))
    assert first.discrimination.value == pytest.approx(-1)
    assert second.discrimination.value == pytest.approx(-1)
