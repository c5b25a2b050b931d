"""Late submissions: what a day costs and who may be late, as `enter` and `grade` say and enter it."""

import math
import random
import shutil
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from downloads import zipped
from nbgrader.api import Gradebook
from submissions import full_marks
from typed_commands import typed

from autograder.authoring.sample_class import SampleSubmission, write_submission
from autograder.classroom.records import open_records
from autograder.classroom.records.received import CoursePerson
from autograder.engine import files
from tests.gradebook.verdict_class import VerdictClass, times

pytestmark = pytest.mark.database

DUE = "2026-01-10 18:00"
HEADERS = {
    "extensions.csv": "student,assignment,until",
    "late.csv": "student,assignment,submitted",
    "counts.csv": "student,assignment,counts",
}
TENTH = "percent_per_day = 10"
BERLIN = 'timezone = "Europe/Berlin"'


@pytest.fixture
def late_class(empty_book, monkeypatch) -> VerdictClass:
    """A course in which nobody has submitted yet, with a due date."""
    monkeypatch.chdir(empty_book.assignment.course.root)
    late_class = VerdictClass(empty_book)
    late_class.due(DUE)
    return late_class


@pytest.fixture
def three(late_class) -> VerdictClass:
    """Three students: in time by the grace, an hour late, and a day and an hour late."""
    late_class.configure(TENTH, "grace_minutes = 30", "most_percent = 50")
    late_class.submit("s001", "2026-01-10 18:29")
    late_class.submit("s002", "2026-01-10 19:00")
    late_class.submit("s003", "2026-01-11 19:00")
    return late_class


PAID = {"s002": 0.9, "s003": 1.8}  # of the three: a tenth of 9 points for each day begun


# The settings, and by case: when it was submitted, what it costs, and words of the sentence about it
SENTENCES = {
    "grace and a bound": (
        [TENTH, "grace_minutes = 30", "most_percent = 50"],
        [
            ("2026-01-10 18:00:00", 0, ""),
            ("2026-01-10 18:29:59", 0, ""),
            ("2026-01-10 18:30:01", 0.9, "30 minutes after the due date, 2026-01-10 18:00 UTC: 1"),
            ("2026-01-11 18:30:00", 0.9, "1 day begun after 30 minutes of grace, 1 day at"),
            ("2026-01-11 18:30:01", 1.8, "2 days at 10 % of 9 points: 1.8 points less."),
            ("2026-04-10 18:00:00", 4.5, "90 days at 10 % of 9 points, at most 50 %: 4.5 points"),
            ("2099-01-01 00:00:00", 0, "is still to come: no penalty"),
            ("2025-01-01 00:00:00", 0, "is more than a year before the due date"),
            ("2025-04-01 00:00:00", 0, ""),
        ],
    ),
    "a late day": (
        [TENTH, "late_days = 1"],
        [("2026-01-10 19:00:00", 0, "1 late day used (0 of 1 left), no points less.")],
    ),
    "nothing": (
        ['released = {"small-sheet": "2025-12-01"}'],
        [
            ("2026-01-10 18:00:01", 0, ", 1 minute after"),
            ("2026-01-10 19:01:01", 0, ", 1 hour 1 minute after"),
            ("2026-01-11 20:05:00", 0, ", 1 day 2 hours after"),
            ("2026-01-12 18:05:00", 0, ", 2 days 5 minutes after"),
            ("2026-01-11 20:00:00", 0, "2 days begun, no points less."),
            ("2025-11-30 12:00:00", 0, "is before the release, 2025-12-01 00:00"),
            ("2025-12-02 12:00:00", 0, ""),
        ],
    ),
    "another zone": (
        [BERLIN],
        [
            (
                "2026-01-11 18:00:00",
                0,
                "Handed in 2026-01-11 19:00 CET, 1 day after the due date, 2026-01-10 19:00 CET: 1 day",
            )
        ],
    ),
}


@pytest.mark.parametrize(("settings", "cases"), SENTENCES.values(), ids=SENTENCES)
def test_each_day_begun_costs_what_the_policy_and_the_sentence_say(late_class, settings, cases):
    late_class.configure(*settings)
    for number, (when, _, _) in enumerate(cases):
        late_class.submit(f"s{number}", when)
    printed = late_class.enter().splitlines()
    for number, (when, points, words) in enumerate(cases):
        lines = [line for line in printed if line.startswith(f"s{number}: ")]
        assert len(lines) == bool(words) and words in "".join(lines), (when, lines)
        assert late_class.penalties().get(f"s{number}", 0) == points, when


def test_a_penalty_is_a_share_of_the_points_for_each_day_begun_up_to_a_bound(late_class):
    late_class.configure("percent_per_day = 7.5", "most_percent = 60")
    draw = random.Random(1)
    late = {f"s{number}": timedelta(minutes=draw.randint(-999, 15_000)) for number in range(25)}
    for student, minutes in late.items():
        late_class.submit(student, f"{times(DUE) + minutes}")
    late_class.enter()
    days = {student: max(0, math.ceil(span / timedelta(days=1))) for student, span in late.items()}
    paid = {student: round(9 * min(7.5 * count, 60) / 100, 2) for student, count in days.items()}
    assert late_class.penalties() == {student: points for student, points in paid.items() if points}


DAYS_OF_25_HOURS = [  # Berlin's clocks are set back on 26 October 2025, and forward on 30 March
    ("2025-10-25 18:00", timedelta(hours=25), 1),
    ("2025-10-25 18:00", timedelta(hours=25, seconds=1), 2),
    ("2025-10-24 18:00", timedelta(hours=49), 2),
    ("2025-10-24 18:00", timedelta(hours=25), 2),
    ("2025-10-25 02:30", timedelta(hours=25), 1),
    ("2025-10-26 02:30", timedelta(minutes=1), 1),
    ("2025-03-29 18:00", timedelta(hours=24), 1),
    ("2025-03-29 18:00", timedelta(hours=24, seconds=1), 2),
    ("2025-03-29 18:00", timedelta(hours=48), 2),
]


def test_when_clocks_change_a_day_ends_when_it_is_better_for_the_student(late_class):
    """Each student has a due date of their own, by an extension."""
    late_class.configure(TENTH, BERLIN)
    late_class.due("2025-01-01 00:00")
    lines = [f"s{n},{{id}},{due}" for n, (due, _, _) in enumerate(DAYS_OF_25_HOURS)]
    late_class.write("extensions.csv", HEADERS["extensions.csv"], *lines)
    for number, (due, after, _) in enumerate(DAYS_OF_25_HOURS):
        local = datetime.fromisoformat(due).replace(tzinfo=ZoneInfo("Europe/Berlin"))
        late_class.submit(f"s{number}", f"{local.astimezone(UTC).replace(tzinfo=None) + after}")
    late_class.enter()
    days = {
        f"s{number}": round(0.9 * days, 2) for number, (*_, days) in enumerate(DAYS_OF_25_HOURS)
    }
    assert late_class.penalties() == days


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ('timezone = "Europe/Nowhere"', "which is no time zone"),
        ('released = {"a": "in autumn"}', "`in autumn` of `a`, which is no time like"),
        ("percent_per_hour = 1.0", "no setting `percent_per_hour`. It has: "),
        ('counts = "latest"', "'newest', 'in time', 'best'"),
    ],
)
def test_a_setting_that_cannot_be_used_is_told_at_once(late_class, line, words):
    late_class.submit("ada")
    late_class.configure(line)
    printed = late_class.enter(status=2)
    assert "c.LatePolicy" in printed and words in printed and late_class.points() == {}


@pytest.mark.parametrize(
    ("setting", "file", "line", "is_needed"),
    [
        ("grace_minutes = 30", "", "", False),
        (TENTH, "", "", True),
        ("late_days = 3", "", "", True),
        ('counts = "in time"', "", "", True),
        ('counts = "best"', "", "", False),
        ("", "extensions.csv", "ada,{id},2026-10-03", True),
        ("", "extensions.csv", "ada,other,2026-10-03", False),
        ("", "counts.csv", "ada,{id},in time", True),
        ("", "counts.csv", "ada,{id},best", False),
    ],
)
def test_a_due_date_is_needed_where_anything_depends_on_it(
    late_class, setting, file, line, is_needed
):
    late_class.due(None)
    late_class.submit("ada", "2026-01-12 18:00")
    if setting:
        late_class.configure(setting)
    if file:
        late_class.write(file, HEADERS[file], line)
    assert ("has no due date, so nobody is late" in late_class.enter()) is is_needed
    assert late_class.penalties() == {}


def test_an_extension_of_the_file_counts_before_others_and_none_shortens(late_class):
    """Granted by hand in the gradebook, and by a platform."""
    late_class.configure(TENTH)
    for student in ("by-hand", "in-file", "shorter", "platform", "both", "all"):
        late_class.submit(student, "2026-01-14 12:00")
    with Gradebook(late_class.book.url) as rows:
        for student, days in {"by-hand": 9, "in-file": 9, "shorter": -9, "all": 9}.items():
            rows.add_student(student)
            rows.add_submission(late_class.id, student).extension = timedelta(days=days)
        rows.db.commit()
    with open_records(Path("submitted"), write=True) as records:
        for student in ("platform", "both", "all"):
            granted = CoursePerson(late_class.id, student, granted_until=times("2026-01-12 18:00"))
            records.add(granted)
    lines = [f"{student},{{id}},2026-01-13 18:00" for student in ("in-file", "both")]
    late_class.write("extensions.csv", HEADERS["extensions.csv"], *lines)
    printed = late_class.enter()
    paid = {"in-file": 0.9, "both": 0.9, "platform": 1.8, "shorter": 3.6}
    assert late_class.penalties() == paid
    assert "in-file: Handed in 2026-01-14 12:00 UTC, 18 hours after the extension until " in printed
    assert (
        "both: `extensions.csv` says 2026-01-13 18:00 UTC, the platform 2026-01-12 18:00 UTC: "
        "`extensions.csv` counts." in printed
    )
    with Gradebook(late_class.book.url) as rows:
        days = {one.student.id: one.extension for one in rows.assignment_submissions(late_class.id)}
    assert days["in-file"] == days["all"] == timedelta(days=9) and days["both"] is None


@pytest.mark.parametrize(
    ("file", "lines", "penalties", "words"),
    [
        ("extensions.csv", ["s003,{id},2026-01-11", "s002,another,2027-01-01"], {"s002": 0.9}, []),
        (
            "late.csv",
            [
                "s001,{id},2026-01-12 18:29",
                "s003,{id},2026-01-10 17:00+00:00",
                "s999,{id},2026-01-10 17:00Z",
                "s001,no-sheet,2026-01-10 17:00Z",
            ],
            {"s001": 1.8, "s002": 0.9},
            [
                "s003: no points less. So far: 1.8",
                "2 penalties are entered",
                "s001: `late.csv` says 2026-01-12 18:29 UTC, the platform 2026-01-10 18:29 UTC",
                "`late.csv` names no zone in 1 line: read as UTC",
                "`late.csv`, line 4: nobody has handed in as `s999`.",
                "`late.csv`, line 5: there is no assignment `no-sheet`.",
            ],
        ),
        (
            "counts.csv",
            ["s0l1,{id},best"],
            PAID,
            ["`counts.csv`, line 2: nobody has handed in as `s0l1`"],
        ),
    ],
)
def test_a_file_changes_penalties_and_is_taken_back(three, file, lines, penalties, words):
    three.enter()
    assert three.penalties() == PAID
    three.write(file, HEADERS[file], *lines)
    printed = three.enter()
    assert three.penalties() == penalties
    assert [one for one in words if one not in printed] == []
    Path(file).unlink()
    three.enter()
    assert three.penalties() == PAID


def test_penalties_are_listed_and_may_be_left_out(three):
    printed = three.enter("--no-penalties")
    assert (
        "s003: Handed in 2026-01-11 19:00 UTC, 1 day 1 hour after the due date, 2026-01-10 18:00 UTC: "
        "2 days begun after 30 minutes of grace, 2 days at 10 % of 9 points: 1.8 points less."
    ) in printed
    assert "2 penalties are not entered" in printed and three.penalties() == {}
    assert "2 penalties are entered" in three.enter()
    assert "penalties are" not in three.enter("--no-penalties") and three.penalties() == PAID


@pytest.mark.parametrize("due", ["2026-01-20 18:00", None])
@pytest.mark.parametrize("options", [[], ["--no-penalties"]])
def test_a_due_date_that_was_moved_or_is_gone_changes_the_penalties(three, due, options):
    three.enter()
    three.due(due)
    printed = three.enter(*options)
    assert ("has no due date, so nobody is late" in printed) is (due is None)
    assert three.penalties() == (PAID if options else {})


def test_without_a_time_there_is_no_penalty_and_that_is_told_once(three):
    (three.folder("s002") / files.TIMESTAMP).unlink()
    (three.folder("s003") / files.TIMESTAMP).write_text("yesterday, honestly")
    three.store("s002"), three.store("s003")
    printed = three.enter()
    assert printed.count("No time of handing in is known of s002, s003: no penalty.") == 1
    assert "Taken as handed in without a time" in printed and three.penalties() == {}


def test_late_days_are_spent_by_assignment_and_course_and_the_rest_costs(late_class):
    late_class.configure(TENTH, "late_days = 3", "late_days_per_assignment = 2")
    late_class.submit("ada", "2026-01-10 19:00")
    late_class.submit("ben", "2026-01-13 18:00")
    late_class.enter()
    assert late_class.penalties() == {"ben": 0.9}
    with Gradebook(late_class.book.url) as rows:
        for id, due, submitted in (
            ("earlier", "2026-01-01 18:00", "2026-01-04 18:00"),
            ("later", "2026-01-20 18:00", "2026-01-22 18:00"),
            ("undated", None, "2026-01-04 18:00"),
            ("in-time", "2026-01-30 18:00", "2026-01-30 17:00"),
        ):
            rows.add_assignment(id, duedate=due and times(due))
            rows.add_notebook(id, id)
            rows.add_grade_cell("x", id, id, max_score=20, cell_type="code")
            rows.add_submission(id, "ada", timestamp=times(submitted))
        rows.db.commit()
    printed = late_class.enter()
    assert (
        "ada: Handed in" in printed and "1 late day used (0 of 3 left), no points less" in printed
    )
    assert (
        "3 days begun, 2 late days used (1 of 3 left), 1 day at 10 % of 20 points: 2 points less."
    ) in printed.partition(f"earlier, now that late days of {late_class.id} are known:")[2]
    others = printed.partition(f"later, now that late days of {late_class.id} are known:")[2]
    assert "ada: Handed in 2026-01-22 18:00 UTC, 2 days after" in others
    assert "2 days at 10 % of 20 points: 4 points less." in others
    assert "1 penalty is entered into the gradebook, as listed." in others
    assert "No due date, so no late day used: undated." in printed
    assert late_class.penalties() == {"ben": 0.9}
    assert "now that late days" not in late_class.enter(), "the others' are right now"
    with Gradebook(late_class.book.url) as rows:
        penalties = {
            id: rows.find_submission(id, "ada").late_submission_penalty
            for id in ("earlier", "later", "undated", "in-time")
        }
    assert {id: points for id, points in penalties.items() if points} == {"earlier": 2, "later": 4}


@pytest.fixture
def graded(late_class, walls) -> VerdictClass:
    """Two right submissions, an hour and a day and an hour late, which `grade` is to grade."""
    late_class.configure(TENTH, "late_days = 1")
    answers = SampleSubmission(late_class.assignment.solutions, "")
    for student, when in {"s002": "2026-01-10 19:00", "s003": "2026-01-12 19:00"}.items():
        write_submission(late_class.assignment, late_class.folder(student), answers)
        (late_class.folder(student) / files.TIMESTAMP).write_text(f"{when} UTC")
    return late_class


def row_of(student: str, printed: str) -> list[str]:
    """The cells of a student's row in the table that `grade` prints."""
    return next(line.split() for line in printed.splitlines() if line.split()[:1] == [student])


def test_grade_shows_and_enters_penalties_too(graded):
    grade = "grade", "submitted", "--jobs", "1"
    Path("late.csv").write_text(f"{HEADERS['late.csv']}\ns1,x,\x1b[31mred\ns2,x,2026-01-10\n")
    status, printed = typed(*grade)
    assert status == 2 and "line 2: `\\x1b[31mred` is no time" in printed
    assert "line 3: `2026-01-10` is no" in printed and not [*Path("results").rglob("*.json")]
    Path("late.csv").unlink()
    status, printed = typed(*grade, "--no-penalties")
    assert status == 0 and "1 penalty is not entered" in printed and graded.penalties() == {}
    assert row_of("s002", printed)[-3:] == ["0", "0", "answered"]
    assert "-1.8" in row_of("s003", printed)
    status, printed = typed(*grade)
    assert status == 0 and "0 graded, 2 as they were" in printed
    assert graded.penalties() == {"s003": 1.8}
    assert graded.points() == dict.fromkeys(["s002", "s003"], full_marks(graded.assignment))


def test_who_the_platform_calls_late_without_a_time_is_named(graded, tmp_path):
    solution = (graded.folder("s002") / f"{graded.id}.ipynb").read_bytes()
    shutil.rmtree("submitted")
    download = tmp_path / "canvas.zip"
    download.write_bytes(zipped({f"softmaxada_LATE_5_100_{graded.id}.ipynb": solution}))
    words = "--into", "submitted", "--assignment", graded.id, "--late-template", "late.csv"
    status, printed = typed("collect", download, *words)
    reported = "Late, as the platform says, which does not say when: softmaxada-5."
    assert status == 0 and reported in printed
    status, printed = typed("grade", "submitted", "--jobs", "1")
    assert status == 0 and "?" in row_of("softmaxada-5", printed) and graded.penalties() == {}
    assert f"{reported} No penalty before late.csv" in printed
    late = Path("late.csv")
    late.write_text(late.read_text().replace(f"{graded.id},", f"{graded.id},2026-01-12 19:00Z"))
    assert "does not say when" not in graded.enter()
    assert graded.penalties() == {"softmaxada-5": 1.8}
