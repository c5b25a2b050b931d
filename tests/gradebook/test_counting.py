"""Which of several submissions counts: by the course's rule, or by staff's line on one student."""

from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from autograder.gradebook.counting import Candidate, which_counts
from autograder.gradebook.late import judge
from autograder.gradebook.late_files import read_said
from autograder.gradebook.late_policy import HandIn, LatePolicy

DUE, NOW = datetime(2026, 11, 30, 18), datetime(2027, 1, 1)
MINUTE, HOUR, DAY = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)
SHEET = HandIn("a", None, DUE, 28.0)
EARLY = Candidate("early", DUE - DAY, 12.0)
IN_TIME = Candidate("in time", DUE - 5 * MINUTE, 18.0)
LATE = Candidate("late", DUE + HOUR, 24.0)
BETTER = Candidate("better", DUE + 2 * DAY, 25.0, is_newest=True)
ALL = [BETTER, IN_TIME, EARLY, LATE]
UNKNOWN = Candidate("unknown", None, 28.0)


def counted(candidates, rule="newest", said=None, hand_in=SHEET, others=(), **traits):
    policy = LatePolicy(counts=rule, percent_per_day=10.0, timezone="Europe/Berlin", **traits)
    return which_counts(candidates, hand_in, policy, said, others, NOW)


@pytest.mark.parametrize(
    ("rule", "more", "hash"),
    [
        ("newest", {}, "better"),
        ("in time", {}, "in time"),
        ("in time", {"grace_minutes": 90}, "late"),
        ("in time", {"hand_in": HandIn("a", None, DUE, 28.0, DUE + DAY)}, "late"),
        ("in time", {"hand_in": HandIn("a", None, None, 28.0)}, "better"),  # nobody is late
        ("in time", {"candidates": [LATE, BETTER]}, "better"),  # there is none in time
        ("in time", {"late_days": 5}, "in time"),  # a late day makes nothing be in time
        ("best", {}, "late"),  # 24 - 2.8, 25 - 5.6, 18
        ("best", {"late_days": 5}, "better"),
        ("best", {"late_days": 5, "others": [HandIn("b", DUE, DUE - 5 * DAY, 9.0)]}, "late"),
        ("best", {"late_days": 5, "others": [HandIn("a", DUE, DUE - 5 * DAY, 9.0)]}, "better"),
        (
            "best",
            {"candidates": [Candidate("same", DUE + HOUR, 20.8), IN_TIME, LATE, BETTER]},
            "late",
        ),
        (
            "best",
            {"candidates": [Candidate("x", DUE, 25.0 - 5.6), BETTER]},
            "x",
        ),  # as good, earlier
        ("best", {"candidates": [UNKNOWN, IN_TIME, BETTER]}, "better"),
        ("in time", {"candidates": [UNKNOWN, Candidate("now", None, 1.0, is_newest=True)]}, "now"),
    ],
)
def test_the_rule_of_the_course_chooses(rule, more, hash):
    candidates = more.pop("candidates", ALL) if more else ALL
    choice = counted(candidates, rule, **more)
    assert choice.candidate.submission == hash and not choice.doubt
    assert bool(choice.sentence) is not choice.candidate.is_newest


@pytest.mark.parametrize(
    ("cell", "hash", "doubt"),
    [
        ("newest", "better", ""),
        ("In time", "in time", ""),
        ("best", "late", ""),
        ("", "late", ""),
        ("2026-11-30 18:55", "in time", ""),  # Berlin
        ("2026-11-30 17:55Z", "in time", ""),
        (
            "2026-11-30 18:56",
            "late",
            "of 2026-11-30 18:56 CET. Write one of these times: 2026-11-29",
        ),
    ],
)
def test_a_line_on_a_student_comes_before_the_rule(tmp_path, cell, hash, doubt):
    path = tmp_path / "counts.csv"
    path.write_text(f"student,assignment,counts\ns1,a,{cell}\n")
    said = read_said(path, "counts", ZoneInfo("Europe/Berlin"))["s1", "a"]
    choice = counted(ALL, "best", said)
    assert choice.candidate.submission == hash
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
    found = [Candidate(f"{at}", DUE + at * HOUR, points) for at, points in dict(tried).items()]
    found[-1] = Candidate("last", DUE + 91 * HOUR, 20.0, is_newest=True)
    policy = LatePolicy(percent_per_day=10.0)

    def worth(one: Candidate) -> float:
        lateness = judge([HandIn("a", one.submitted, DUE, 28.0)], policy, NOW)["a"]
        return round(one.points - lateness.points, 2)

    best = counted(found, "best").candidate
    assert worth(best) == max(map(worth, found))
    chance.shuffle(found)
    assert counted(found, "best").candidate == best
