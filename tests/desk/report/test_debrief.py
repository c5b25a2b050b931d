"""The debrief: shares, markers and times are right, nobody is named, and nothing on it acts."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from exports import ADA, BEN, CLEO, ID, keep_earlier, verdict
from msgspec.structs import replace as fields
from report_classes import ODD
from rosters import write_roster
from typed_commands import typed

from autograder.classroom.roster import Person
from autograder.desk.marking.given import GivenMark, add_given
from autograder.desk.report.debrief import (
    MOST_BARS,
    Debrief,
    attempts,
    debrief_page,
    explained,
)
from autograder.desk.report.sections import NO_SECTION

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)


def mark(marker: str, points: float, answer: str, student: str = "s1") -> GivenMark:
    return GivenMark(student, "explain", marker, points, answer, "2026-11-25T00:00:00+00:00")


def test_shares_are_of_the_graded_of_each_section_and_small_ones_have_none(twelve):
    who = [one.student for one in twelve.graded]
    sections = dict.fromkeys(who[:5], "Mon") | dict.fromkeys(who[5:9], "Tue")
    debrief = Debrief(replace(twelve, sections=sections), [], [], False)
    rest = len(who) - 9
    assert debrief.sections == [("Mon", 5), ("Tue", 4), (NO_SECTION, rest)]
    assert debrief.mistakes and rest < 5
    counts = []
    for mistake, (of_all, monday, *small) in debrief.mistakes:
        made = {*mistake.students}
        assert of_all == len(made) / len(who) and monday == len(made & {*who[:5]}) / 5
        assert small == [None, None]
        counts.append(len(made))
    assert counts == sorted(counts, reverse=True) and counts[0] > 1


def marks_of(*answers: tuple[float, ...]) -> list[GivenMark]:
    """Marks on each of these answers, by markers a, b and so on."""
    return [
        mark(marker, points, f"v{number}")
        for number, given in enumerate(answers)
        for marker, points in zip("abc", given, strict=False)
    ]


@pytest.mark.parametrize(
    ("marks", "shared", "share"),
    [
        (marks_of((1, 1), (2, 2)), 2, 1.0),
        (marks_of((1, 2), (1, 2)), 2, 0.0),
        (marks_of((1, 1), (2, 2), (0,), (2,)), 2, 1.0),  # two are of one marker
        ([*(mark("a", 1, "v0", f"s{k}") for k in range(9)), *marks_of((1, 2), (1, 2))], 2, 0.0),
        (marks_of((0, 1), (3, 4)), 2, pytest.approx(0.9)),
        (marks_of((1, 1)), 1, None),
        ([], 0, None),
    ],
    ids="all nothing single copies part one none".split(),
)
def test_equal_answers_explain_all_or_nothing_or_a_part(marks, shared, share):
    """A marker's marks on equal answers are one."""
    assert explained(marks) == (shared, share)


def test_markers_are_numbered_from_the_strictest_and_named_only_if_wanted(twelve):
    marks = [
        mark("Lena", 2, "v1"),
        mark("Karl", 0.5, "v2"),
        mark("Karl", 1, "v3"),
        mark(ODD, 2, "v4"),
    ]
    first, *_ = Debrief(twelve, marks, [], False).marked[0].markers
    assert (first.name, first.mean) == ("marker 1", 0.75)
    assert first.counts == {0: 0, 0.5: 1, 1: 1, 1.5: 0, 2: 0}
    hidden, named = (debrief_page([Debrief(twelve, marks, [], names)]) for names in (False, True))
    assert "Karl" not in hidden and "Lena" not in hidden
    assert "<b>Karl</b>: mean 0.75, 2 marks" in named and "<script" not in named


@pytest.mark.parametrize(
    ("hours", "bars"),
    [([0], 1), ([0, 5], 6), ([0, 24 * 9], 37), ([0, 24 * 30], 31), ([0, 24 * 60], 9)],
    ids=["one", "hours", "quarters of days", "days", "weeks"],
)
def test_times_are_in_few_bars(hours, bars):
    found, left_out = attempts([[NOON + timedelta(hours=one) for one in hours]])
    assert abs(len(found) - bars) <= 1 and len(found) <= MOST_BARS and not left_out
    assert (sum(bar.first for bar in found), sum(bar.again for bar in found)) == (1, len(hours) - 1)
    start = found[0].start.replace(tzinfo=UTC)
    assert start <= NOON < start + timedelta(days=7)


def test_days_begin_at_midnight_where_the_course_is():
    late = datetime(2026, 11, 20, 23, 30, tzinfo=UTC)
    times = [[late + timedelta(days=day)] for day in (0, 0, 12)]
    for zone, first in ((UTC, (20, 2)), (ZoneInfo("Europe/Berlin"), (21, 2))):
        bars, _ = attempts(times, zone)
        start = bars[0].start
        assert (start.day, bars[0].total) == first and start.hour == start.minute == 0
    clocks = datetime(2026, 10, 25, 0, 30, tzinfo=UTC)  # 2:30 in Berlin, and an hour later again
    (bar,), _ = attempts([[clocks, clocks + timedelta(hours=1)]], ZoneInfo("Europe/Berlin"))
    assert (bar.start.hour, bar.first, bar.again) == (2, 1, 1)


def test_a_time_that_somebody_set_leaves_the_others_readable():
    long_ago = datetime(1970, 1, 1, tzinfo=UTC)
    found, left_out = attempts([[long_ago, NOON], [NOON], [NOON]])
    assert (len(found), left_out, found[0].total, found[0].again) == (1, 1, 3, 1)
    assert attempts([[], []]) == ([], 0)


def test_a_page_that_others_wrote_does_nothing_and_names_nobody(hostile):
    page = debrief_page([Debrief(hostile, [mark(ODD, -1, ODD)], [[NOON]], True)])
    assert "<script" not in page and "<img" not in page and "\u202e" not in page
    assert not any(f">{one.student}" in page for one in hostile.verdicts)


def test_the_command_writes_all_attempts_and_no_name(class_folder):
    days = [datetime(2026, 11, day, 12) for day in (18, 18, 19)]  # two of them at once
    for number, day in enumerate(days):
        had = verdict(ADA, 5.0 + number)
        keep_earlier(fields(had, stamp=fields(had.stamp, submission=f"h{number}")), day)
    newest = class_folder / "submitted" / ADA / ID
    newest.mkdir(parents=True)
    (newest / "timestamp.txt").write_text("2026-11-20 23:30:00 UTC")
    with (class_folder / "nbgrader_config.py").open("a") as file:
        file.write('\nc.LatePolicy.timezone = "Europe/Berlin"\n')
    add_given(Path("results"), ID, mark("Lena", 2, "v1", ADA))
    people = [Person(who, f"Name of {who}", section="Mon") for who in (ADA, BEN, CLEO)]
    write_roster(class_folder / "mine.csv", people)
    words = ["report", "results", "--out", "debrief.html", "--debrief"]
    status, said = typed(*words, "--roster", "mine.csv")
    page = (class_folder / "debrief.html").read_text()
    assert status == 0 and "-> debrief.html" in said
    for shown in (
        ">Mon</th>",
        "<b>marker 1</b>",
        "4 submissions",
        "1 of them first",
        "2026-11-21",
        "Times of Europe/Berlin.",
    ):
        assert shown in page, page[page.index("<main>") :]
    assert not any(name in page for name in (ADA, BEN, CLEO, "Lena", "Name of"))
    assert typed(*words, "--csv", "numbers")[0] == 2 and not (class_folder / "numbers").exists()
