"""What being late costs: days begun, late days, extensions, caps, and the sentence that says it."""

from datetime import datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from traitlets.config import Config

from autograder.engine.course import make_course
from autograder.gradebook.late import (
    FROM_FILE,
    HandIn,
    Lateness,
    LateRules,
    judge,
    lateness_of,
)
from autograder.gradebook.late_files import PolicyError
from autograder.gradebook.late_policy import LatePolicy
from autograder.gradebook.late_sentences import span_text

DUE = datetime(2026, 10, 1, 18)
NOW = datetime(2027, 1, 1)
HOUR, DAY = timedelta(hours=1), timedelta(days=1)
spans = st.timedeltas(timedelta(0), timedelta(days=60))


def policy(**traits) -> LatePolicy:
    return LatePolicy(config=Config(LatePolicy=traits))


def handed_in(
    late: timedelta, assignment: str = "a", week: int = 0, points: float = 28.0
) -> HandIn:
    due = DUE + week * 7 * DAY
    return HandIn(assignment, due + late, due, points)


def one(late: timedelta, **traits) -> Lateness:
    return judge([handed_in(late)], policy(**traits), NOW)["a"]


@pytest.mark.parametrize(
    ("late", "points"),
    [
        (timedelta(0), 0.0),
        (timedelta(seconds=1799), 0.0),
        (timedelta(seconds=1801), 2.8),
        (DAY + timedelta(seconds=1800), 2.8),
        (DAY + timedelta(seconds=1801), 5.6),
        (90 * DAY, 14.0),
    ],
)
def test_each_day_begun_costs_a_share_of_all_points_and_never_more_than_said(late, points):
    judged = one(late, percent_per_day=10.0, grace_minutes=30.0, most_percent=50.0)
    assert judged.points == points and bool(judged.sentence) is bool(points)


@given(spans, spans, st.floats(0.1, 100), st.integers(0, 9))
def test_who_is_later_never_pays_less(this, that, percent, late_days):
    earlier, later = (
        one(late, percent_per_day=percent, late_days=late_days).points
        for late in sorted((this, that))
    )
    assert 0 <= earlier <= later <= 28.0


def test_without_a_policy_lateness_costs_nothing_and_is_still_said():
    judged = one(26 * HOUR)
    assert judged.points == 0 and judged.days == 2 and judged.late_days_left is None
    assert judged.sentence.endswith("2 days begun, no points less.")


@pytest.mark.parametrize("missing", ["submitted", "due"])
def test_without_a_time_or_a_due_date_nobody_is_late(missing):
    times = {"submitted": DUE + DAY, "due": DUE} | {missing: None}
    judged = judge([HandIn("a", max_points=28.0, **times)], policy(percent_per_day=10.0), NOW)["a"]
    assert (judged.days, judged.points, judged.sentence) == (0, 0.0, "")


def test_late_days_are_spent_by_assignment_and_course_and_the_rest_costs():
    rules = policy(percent_per_day=10.0, late_days=3, late_days_per_assignment=2)
    judged = judge(
        [
            handed_in(3 * DAY, "a"),
            handed_in(HOUR, "b", week=1),
            handed_in(2 * DAY, "c", week=2),
            handed_in(-HOUR, "d", week=3),
        ],
        rules,
        NOW,
    )
    used = {id: (one.late_days_used, one.late_days_left, one.points) for id, one in judged.items()}
    assert used == {"a": (2, 1, 2.8), "b": (1, 0, 0.0), "c": (0, 0, 5.6), "d": (0, 0, 0.0)}
    assert judged["a"].sentence == (
        "Handed in 2026-10-04 18:00 UTC, 3 days after the due date, 2026-10-01 18:00 UTC: 3 days "
        "begun, 2 late days used (1 of 3 left), 1 day at 10 % of 28 points: 2.8 points less."
    )


@given(st.lists(spans, min_size=1, max_size=6), st.integers(0, 6), st.randoms())
def test_what_is_handed_in_later_never_changes_what_an_earlier_one_cost(spans, late_days, chance):
    rules = policy(percent_per_day=10.0, late_days=late_days)
    all_of_them = [handed_in(late, f"a{week}", week) for week, late in enumerate(spans)]
    by_time = sorted(all_of_them, key=lambda one: (one.submitted, one.due))
    chance.shuffle(all_of_them)
    whole = judge(all_of_them, rules, NOW)
    assert sum(one.late_days_used for one in whole.values()) <= late_days
    for count in range(1, len(by_time)):
        earlier = judge(by_time[:count], rules, NOW)
        assert {id: whole[id] for id in earlier} == earlier


def test_a_time_that_is_still_to_come_costs_nothing_and_is_doubted():
    judged = judge([handed_in(90 * DAY)], policy(percent_per_day=10.0), DUE + DAY)["a"]
    assert (judged.points, judged.sentence) == (0.0, "") and "is still to come" in judged.doubt


@pytest.mark.parametrize(
    ("traits", "late", "words"),
    [
        ({"released": {"a": "2026-09-01"}}, -31 * DAY, "is before the release, 2026-09-01 00:00"),
        ({"released": {"a": "2026-09-01"}}, -29 * DAY, ""),
        ({}, -366 * DAY, "is more than a year before the due date"),
        ({}, -300 * DAY, ""),
    ],
)
def test_a_time_that_cannot_be_right_is_doubted(traits, late, words):
    doubt = one(late, **traits).doubt
    assert words in doubt and bool(words) is bool(doubt)


def test_times_are_said_in_the_courses_zone():
    sentence = one(DAY, percent_per_day=10.0, timezone="Europe/Berlin").sentence
    assert "2026-10-02 20:00 CEST" in sentence and "2026-10-01 20:00 CEST" in sentence


@pytest.mark.parametrize(
    "traits", [{"timezone": "Europe/Nowhere"}, {"released": {"a": "in autumn"}}]
)
def test_a_setting_that_cannot_be_read_is_told_at_once(tmp_path, traits):
    with pytest.raises(PolicyError, match="LatePolicy"):
        LateRules(policy(**traits), tmp_path)


@given(st.datetimes(datetime(2000, 1, 1), datetime(2100, 1, 1)), st.integers(-300, 300))
def test_an_extension_never_shortens(tmp_path_factory, due, days):
    rules = LateRules(policy(), tmp_path_factory.getbasetemp())
    granted = rules.hand_in("s1", "a", None, due, 1.0, timedelta(days=days))
    assert granted.extended_until is None or granted.extended_until > due


def test_an_extension_of_the_file_is_known_from_one_that_was_given_by_hand(tmp_path):
    (tmp_path / "extensions.csv").write_text("student,assignment,until\ns1,a,2026-10-03\n")
    rules = LateRules(policy(), tmp_path)
    of_file = rules.extension(("s1", "a"), DUE, 9 * DAY)
    assert of_file == datetime(2026, 10, 4) - DUE + FROM_FILE
    assert rules.extension(("s2", "a"), DUE, of_file) is None
    assert rules.extension(("s2", "a"), DUE, 9 * DAY) == 9 * DAY
    assert rules.hand_in("s2", "a", None, DUE, 1.0, 9 * DAY).extended_until == DUE + 9 * DAY


def test_the_lateness_of_one_submission_takes_both_files_into_account(tmp_path, course):
    made = make_course(tmp_path, course, "c.LatePolicy.percent_per_day = 10\n")
    assert lateness_of(made, "a", 20.0, "s1", DUE + 30 * HOUR, DUE).points == 4.0
    (tmp_path / "extensions.csv").write_text("student,assignment,until\ns1,a,2026-10-02 18:00\n")
    extended = lateness_of(made, "a", 20.0, "s1", DUE + 30 * HOUR, DUE)
    assert extended.points == 2.0 and "6 hours after the extension until" in extended.sentence
    (tmp_path / "late.csv").write_text("student,assignment,submitted\ns1,a,2026-10-01 17:00\n")
    assert lateness_of(made, "a", 20.0, "s1", DUE + 30 * HOUR, DUE).points == 0.0


@pytest.mark.parametrize(
    ("span", "words"),
    [
        (timedelta(seconds=1), "1 minute"),
        (timedelta(minutes=61), "1 hour 1 minute"),
        (timedelta(days=2, minutes=5), "2 days 5 minutes"),
        (timedelta(days=1, hours=2, minutes=5), "1 day 2 hours"),
    ],
)
def test_a_span_is_said_in_two_units(span, words):
    assert span_text(span) == words


def test_a_setting_that_there_is_not_is_an_error_with_those_that_there_are():
    with pytest.raises(
        PolicyError, match="no setting `percent_per_hour`. It has: .*percent_per_day"
    ):
        policy(percent_per_hour=1.0)


def test_a_policy_says_itself_whether_being_late_costs_anything():
    class FromTheSecondDay(LatePolicy):
        def penalty(self, days: int, max_points: float) -> float:
            return max_points / 2 if days > 1 else 0.0

    assert FromTheSecondDay().costs and policy(late_days=3).costs
    assert policy(percent_per_day=10.0).costs and not policy(grace_minutes=30.0).costs
