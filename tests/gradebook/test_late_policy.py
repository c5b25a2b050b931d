"""The rule of being late: days begun, late days, points, caps, and the sentence that says so."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st
from traitlets.config import Config

from autograder import AutograderError
from autograder.classroom.records import open_records
from autograder.classroom.records.received import CoursePerson
from autograder.engine.texts import time_text
from autograder.gradebook.lateness.late import ClassLateness, Lateness, LateRules, judge
from autograder.gradebook.lateness.late_notes import notes_on_times
from autograder.gradebook.lateness.late_policy import HandIn, LatePolicy

pytestmark = pytest.mark.slow

DUE = datetime(2026, 10, 1, 18)
NOW = datetime(2027, 1, 1)
SECOND, HOUR, DAY = timedelta(seconds=1), timedelta(hours=1), timedelta(days=1)
TENTH = {"percent_per_day": 10.0}
GRACE = TENTH | {"grace_minutes": 30.0, "most_percent": 50.0}
BERLIN = {"timezone": "Europe/Berlin"}
spans = st.timedeltas(timedelta(0), timedelta(days=60))


def policy(**traits) -> LatePolicy:
    return LatePolicy(config=Config(LatePolicy=traits))


def rules(root, **traits) -> LateRules:
    return LateRules(Config(LatePolicy=traits), root)


def handed_in(
    late: timedelta, assignment: str = "a", week: int = 0, points: float = 28.0
) -> HandIn:
    due = DUE + week * 7 * DAY
    return HandIn(assignment, due + late, due, points)


def one(late: timedelta, **traits) -> Lateness:
    return judge([handed_in(late)], policy(**traits), NOW)["a"]


@pytest.mark.parametrize(
    ("traits", "late", "days", "points", "words"),
    [
        (GRACE, 0 * DAY, 0, 0.0, ""),
        (GRACE, 1799 * SECOND, 0, 0.0, ""),
        (GRACE, 1801 * SECOND, 1, 2.8, "30 minutes after the due date, 2026-10-01 18:00 UTC: 1"),
        (GRACE, DAY + 1800 * SECOND, 1, 2.8, "1 day begun after 30 minutes of grace, 1 day at"),
        (GRACE, DAY + 1801 * SECOND, 2, 5.6, "2 days at 10 % of 28 points: 5.6 points less."),
        (GRACE, 90 * DAY, 90, 14.0, "90 days at 10 % of 28 points, at most 50 %: 14 points less."),
        (TENTH | {"late_days": 1}, HOUR, 1, 0.0, "1 late day used (0 of 1 left), no points less."),
        ({}, SECOND, 1, 0.0, ", 1 minute after"),
        ({}, 3661 * SECOND, 1, 0.0, ", 1 hour 1 minute after"),
        ({}, 26 * HOUR + 300 * SECOND, 2, 0.0, ", 1 day 2 hours after"),
        ({}, 2 * DAY + 300 * SECOND, 3, 0.0, ", 2 days 5 minutes after"),
        ({}, 26 * HOUR, 2, 0.0, "2 days begun, no points less."),
        (BERLIN, DAY, 1, 0.0, "Handed in 2026-10-02 20:00 CEST, 1 day after the due date, 2026-"),
        (BERLIN, DAY, 1, 0.0, "the due date, 2026-10-01 20:00 CEST: 1 day"),
    ],
)
def test_each_day_begun_costs_what_the_policy_and_the_sentence_say(
    traits, late, days, points, words
):
    judged = one(late, **traits)
    assert (judged.days, judged.points) == (days, points)
    assert words in judged.sentence and bool(words) is bool(judged.sentence)


@pytest.mark.parametrize(
    ("due", "after", "days"),
    [  # Berlin's clocks are set back on 25 October 2026, and forward on 28 March 2027
        ("2026-10-24 18:00", timedelta(hours=25), 1),
        ("2026-10-24 18:00", timedelta(hours=25, seconds=1), 2),
        ("2026-10-23 18:00", timedelta(hours=49), 2),
        ("2026-10-23 18:00", timedelta(hours=25), 2),
        ("2026-10-24 02:30", timedelta(hours=25), 1),
        ("2026-10-25 02:30", timedelta(minutes=1), 1),
        ("2027-03-27 18:00", timedelta(hours=24), 1),
        ("2027-03-27 18:00", timedelta(hours=24, seconds=1), 2),
        ("2027-03-27 18:00", timedelta(hours=48), 2),
    ],
)
def test_when_clocks_change_a_day_ends_when_it_is_better_for_the_student(due, after, days):
    local = datetime.fromisoformat(due).replace(tzinfo=ZoneInfo("Europe/Berlin"))
    due = local.astimezone(UTC).replace(tzinfo=None)
    hand_in = HandIn("a", due + after, due, 28.0)
    assert policy(**BERLIN).days_late(hand_in) == days


@given(spans, spans, st.floats(0.1, 100), st.integers(0, 9))
def test_who_is_later_never_pays_less(this, that, percent, late_days):
    earlier, later = (
        one(late, percent_per_day=percent, late_days=late_days, **BERLIN).points
        for late in sorted((this, that))
    )
    assert 0 <= earlier <= later <= 28.0


@pytest.mark.parametrize("missing", ["submitted", "due"])
def test_without_a_time_or_a_due_date_nobody_is_late(missing):
    times = {"submitted": DUE + DAY, "due": DUE} | {missing: None}
    judged = judge([HandIn("a", max_points=28.0, **times)], policy(**TENTH), NOW)["a"]
    assert (judged.days, judged.points, judged.sentence) == (0, 0.0, "")


def test_late_days_are_spent_by_assignment_and_course_and_the_rest_costs():
    late_days = policy(percent_per_day=10.0, late_days=3, late_days_per_assignment=2)
    spans = {"a": 3 * DAY, "b": HOUR, "c": 2 * DAY, "d": -HOUR}
    all_of_them = [handed_in(late, id, week) for week, (id, late) in enumerate(spans.items())]
    judged = judge(all_of_them, late_days, NOW)
    used = {id: (one.late_days_used, one.late_days_left, one.points) for id, one in judged.items()}
    assert used == {"a": (2, 1, 2.8), "b": (1, 0, 0.0), "c": (0, 0, 5.6), "d": (0, 0, 0.0)}
    assert judged["a"].sentence == (
        "Handed in 2026-10-04 18:00 UTC, 3 days after the due date, 2026-10-01 18:00 UTC: 3 days "
        "begun, 2 late days used (1 of 3 left), 1 day at 10 % of 28 points: 2.8 points less."
    )
    assert one(DAY).late_days_left is None


@given(st.lists(spans, min_size=1, max_size=6), st.integers(0, 6), st.randoms())
def test_what_is_handed_in_later_never_changes_what_an_earlier_one_cost(spans, late_days, chance):
    given = policy(percent_per_day=10.0, late_days=late_days)
    all_of_them = [handed_in(late, f"a{week}", week) for week, late in enumerate(spans)]
    by_time = sorted(all_of_them, key=lambda one: (one.submitted, one.due))
    chance.shuffle(all_of_them)
    whole = judge(all_of_them, given, NOW)
    assert sum(one.late_days_used for one in whole.values()) <= late_days
    for count in range(1, len(by_time)):
        earlier = judge(by_time[:count], given, NOW)
        assert {id: whole[id] for id in earlier} == earlier


@pytest.mark.parametrize(
    ("traits", "late", "words"),
    [
        ({"released": {"a": "2026-09-01"}}, -31 * DAY, "is before the release, 2026-09-01 00:00"),
        ({"released": {"a": "2026-09-01"}}, -29 * DAY, ""),
        ({}, -366 * DAY, "is more than a year before the due date"),
        ({}, -300 * DAY, ""),
        (TENTH, 100 * DAY, "is still to come: no penalty"),
    ],
)
def test_a_time_that_cannot_be_right_is_doubted_and_costs_nothing(traits, late, words):
    judged = one(late, **traits)
    assert words in judged.doubt and bool(words) is bool(judged.doubt)
    assert (judged.points, judged.sentence) == (0.0, "")


@pytest.mark.parametrize(
    ("traits", "words"),
    [
        ({"timezone": "Europe/Nowhere"}, "which is no time zone"),
        ({"released": {"a": "in autumn"}}, "`in autumn` of `a`, which is no time like"),
        ({"percent_per_hour": 1.0}, "no setting `percent_per_hour`. It has: .*percent_per_day"),
        ({"counts": "latest"}, "'newest', 'in time', 'best'"),
    ],
)
def test_a_setting_that_cannot_be_used_is_told_at_once(tmp_path, traits, words):
    with pytest.raises(AutograderError, match=f"c.LatePolicy.*{words}"):
        rules(tmp_path, **traits)


def test_a_policy_says_itself_whether_being_late_costs_anything():
    class FromTheSecondDay(LatePolicy):
        def penalty(self, days: int, max_points: float) -> float:
            return max_points / 2 if days > 1 else 0.0

    assert FromTheSecondDay().costs


@pytest.mark.parametrize(
    ("traits", "file", "line", "is_needed"),
    [
        ({"grace_minutes": 30.0}, "", "", False),
        (TENTH, "", "", True),
        ({"late_days": 3}, "", "", True),
        ({"counts": "in time"}, "", "", True),
        ({"counts": "best"}, "", "", False),
        ({}, "extensions.csv", "until\ns1,a,2026-10-03", True),
        ({}, "extensions.csv", "until\ns1,b,2026-10-03", False),
        ({}, "counts.csv", "counts\ns1,a,in time", True),
        ({}, "counts.csv", "counts\ns1,a,best", False),
    ],
)
def test_a_due_date_is_needed_where_anything_depends_on_it(tmp_path, traits, file, line, is_needed):
    (tmp_path / (file or "no.csv")).write_text(f"student,assignment,{line}\n")
    assert rules(tmp_path, **traits).needs_due_date("a") is is_needed


@given(st.datetimes(datetime(2000, 1, 1), datetime(2100, 1, 1)), st.integers(-300, 300))
def test_an_extension_never_shortens(tmp_path_factory, due, days):
    until = rules(tmp_path_factory.getbasetemp()).extended_until(
        ("s1", "a"), due, timedelta(days=days)
    )
    assert until is None or until > due


def test_an_extension_of_the_file_counts_before_one_that_was_granted_by_hand(tmp_path):
    (tmp_path / "extensions.csv").write_text("student,assignment,until\ns1,a,2026-10-03\n")
    ours = rules(tmp_path)
    assert ours.extended_until(("s1", "a"), DUE, 9 * DAY) == datetime(2026, 10, 4)
    assert ours.extended_until(("s2", "a"), DUE, 9 * DAY) == DUE + 9 * DAY
    extended = HandIn("a", DUE + 4 * DAY, DUE, 20.0, datetime(2026, 10, 4))
    judged = judge([extended], policy(**TENTH), NOW)["a"]
    assert judged.points == 4.0
    assert "1 day 18 hours after the extension until 2026-10-04 00:00 UTC" in judged.sentence


def test_what_a_platform_granted_is_never_charged_and_the_file_counts_before_it(tmp_path):
    with open_records(tmp_path / "submitted", write=True) as records:
        for student in ("s1", "s2"):
            records.add(CoursePerson("a", student, granted_until=DUE + 2 * DAY))
    (tmp_path / "extensions.csv").write_text("student,assignment,until\ns2,a,2026-10-03\n")
    ours = rules(tmp_path, **TENTH)
    assert ours.extended_until(("s1", "a"), DUE, None) == DUE + 2 * DAY
    assert ours.extended_until(("s1", "a"), DUE, 9 * DAY) == DUE + 9 * DAY
    assert ours.extended_until(("s2", "a"), DUE, None) == datetime(2026, 10, 4)
    assert ours.extended_until(("s3", "a"), DUE, None) is None and ours.needs_due_date("a")
    late = HandIn("a", DUE + DAY, DUE, 20.0, ours.extended_until(("s1", "a"), DUE, None))
    assert judge([late], policy(**TENTH), NOW)["a"].points == 0
    notes = [*notes_on_times(ours, "a", {}, {"s1": None, "s2": None}, (), ["a"], {"a": DUE})]
    assert [note for note in notes if "`extensions.csv` counts" in note] == [
        f"s2: `extensions.csv` says 2026-10-04 00:00 UTC, the platform {time_text(DUE + 2 * DAY)}: "
        "`extensions.csv` counts."
    ]


def test_a_penalty_is_explained_where_it_is_the_one_that_the_policy_says(tmp_path):
    late = ClassLateness(rules(tmp_path, **TENTH), "a", {"s1": [handed_in(DAY)]}, {})
    assert late.explanation("s1", 2.8) == late.judged["s1"].sentence != ""
    assert late.explanation("s1", 1.0) == late.explanation("s2", 0.0) == ""
