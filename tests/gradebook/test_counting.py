"""Which of several submissions counts: by the course's rule, or by staff's line on one student."""

from datetime import datetime, timedelta
from types import SimpleNamespace
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from autograder.classroom.late_files import read_said
from autograder.engine.verdicts import DatedVerdict
from autograder.gradebook.lateness.counting import which_counts
from autograder.gradebook.lateness.late import judge
from autograder.gradebook.lateness.late_policy import HandIn, LatePolicy

DUE, NOW = datetime(2026, 11, 30, 18), datetime(2027, 1, 1)
MINUTE, HOUR, DAY = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)
SHEET = HandIn("a", None, DUE, 28.0)


def candidate(name: str, submitted: datetime | None, points: float) -> DatedVerdict:
    return DatedVerdict(SimpleNamespace(name=name, points=points), submitted)


EARLY = candidate("early", DUE - DAY, 12.0)
IN_TIME = candidate("in time", DUE - 5 * MINUTE, 18.0)
LATE = candidate("late", DUE + HOUR, 24.0)
BETTER = candidate("better", DUE + 2 * DAY, 25.0)
ALL = [BETTER, IN_TIME, EARLY, LATE]  # the newest first
UNKNOWN = candidate("unknown", None, 28.0)
SAME = candidate("same", DUE + HOUR, 20.8)


def counted(candidates, rule="newest", said=None, hand_in=SHEET, others=(), **traits):
    policy = LatePolicy(counts=rule, percent_per_day=10.0, timezone="Europe/Berlin", **traits)
    return which_counts(candidates, hand_in, policy, said, others, NOW)


@pytest.mark.parametrize(
    ("rule", "more", "name"),
    [
        ("newest", {}, "better"),
        ("in time", {}, "in time"),
        ("in time", {"grace_minutes": 90}, "late"),
        ("in time", {"hand_in": HandIn("a", None, DUE, 28.0, DUE + DAY)}, "late"),
        ("in time", {"hand_in": HandIn("a", None, None, 28.0)}, "better"),  # nobody is late
        ("in time", {"candidates": [BETTER, LATE]}, "better"),  # there is none in time
        ("in time", {"late_days": 5}, "in time"),  # a late day makes nothing be in time
        ("best", {}, "late"),  # 24 - 2.8, 25 - 5.6, 18
        ("best", {"late_days": 5}, "better"),
        ("best", {"late_days": 5, "others": [HandIn("b", DUE, DUE - 5 * DAY, 9.0)]}, "late"),
        ("best", {"late_days": 5, "others": [HandIn("a", DUE, DUE - 5 * DAY, 9.0)]}, "better"),
        ("best", {"candidates": [BETTER, SAME, IN_TIME, LATE]}, "late"),
        (
            "best",
            {"candidates": [BETTER, candidate("x", DUE, 25.0 - 5.6)]},
            "x",
        ),  # as good, earlier
        ("best", {"candidates": [BETTER, UNKNOWN, IN_TIME]}, "better"),
        ("in time", {"candidates": [candidate("now", None, 1.0), UNKNOWN]}, "now"),
    ],
)
def test_the_rule_of_the_course_chooses(rule, more, name):
    candidates = more.get("candidates", ALL)
    choice = counted(rule=rule, **{"candidates": ALL} | more)
    assert choice.dated.verdict.name == name and not choice.doubt
    assert bool(choice.sentence) is not (choice.dated is candidates[0])


@pytest.mark.parametrize(
    ("cell", "name", "doubt"),
    [
        ("newest", "better", ""),
        ("In time", "in time", ""),
        ("best", "late", ""),
        ("", "late", ""),
        ("2026-11-30 18:55", "in time", ""),  # Berlin
        ("2026-11-30 17:55Z", "in time", ""),
        ("2026-11-30 18:55 CET", "in time", ""),  # as the doubt below writes it
        ("2026-11-30 18:56", "late", "18:56 CET. Write one of these times: 2026-11-29"),
    ],
)
def test_a_line_on_a_student_comes_before_the_rule(tmp_path, cell, name, doubt):
    path = tmp_path / "counts.csv"
    path.write_text(f"student,assignment,counts\ns1,a,{cell}\n")
    said = read_said(path, "counts", ZoneInfo("Europe/Berlin"))["s1", "a"]
    choice = counted(ALL, "best", said)
    assert choice.dated.verdict.name == name
    assert doubt in choice.doubt and bool(doubt) is choice.doubt.startswith(
        "`counts.csv`, line 2: "
    )


def test_the_sentence_says_which_and_why():
    assert counted(ALL, "in time").sentence == (
        "The submission of 2026-11-30 18:55 CET (18 points) counts, the last in time, not the newest, "
        "of 2026-12-02 19:00 CET (25 less 5.6 points)."
    )


@given(st.lists(st.tuples(st.integers(-90, 90), st.integers(0, 28)), min_size=1), st.randoms())
def test_no_other_is_better_than_the_best_and_their_order_is_of_no_account(tried, chance):
    earlier = [candidate(f"{at}", DUE + at * HOUR, points) for at, points in dict(tried).items()]
    newest = candidate("last", DUE + 91 * HOUR, 20.0)
    policy = LatePolicy(percent_per_day=10.0)

    def worth(one: DatedVerdict) -> float:
        lateness = judge([HandIn("a", one.submitted, DUE, 28.0)], policy, NOW)["a"]
        return round(one.verdict.points - lateness.points, 2)

    best = counted([newest, *earlier], "best").dated
    assert worth(best) == max(map(worth, [newest, *earlier]))
    chance.shuffle(earlier)
    assert counted([newest, *earlier], "best").dated == best
