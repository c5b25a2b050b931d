"""`enter`: verdict files into the gradebook. What differs is entered; failures are reported and kept."""

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from msgspec.structs import replace
from nbgrader.api import Gradebook
from recorded import plant_people
from sqlalchemy.exc import DataError, OperationalError
from typed_commands import refused, typed

from autograder import NamedMistake, read_verdict, write_verdict
from autograder.classroom.roster import Person
from autograder.engine import files, verdicts
from autograder.engine.courses import CHECK
from tests.gradebook.verdict_class import VerdictClass, failing, times

pytestmark = pytest.mark.database

DUE = "2026-01-10 18:00"
AT = {
    "early": "2026-01-09 18:00",
    "in time": "2026-01-10 17:55",
    "late": "2026-01-10 19:00",
    "newest": "2026-01-12 18:00",
}
FOUR = {"early": 2.0, "in time": 2.5, "late": 3.9, "newest": 4.0}  # of 9 points, a day costs 0.9


@pytest.fixture
def by_verdicts(empty_book, monkeypatch) -> VerdictClass:
    monkeypatch.chdir(empty_book.assignment.course.root)
    return VerdictClass(empty_book)


def graded_notebook(by_verdicts: VerdictClass, student: str) -> Path:
    return Path("autograded", student, by_verdicts.id, f"{by_verdicts.id}.ipynb")


def test_verdicts_are_entered_once_and_then_what_differs(by_verdicts):
    id, students = by_verdicts.id, [f"s{number:03}" for number in range(27)]  # more than a batch
    for student in students:
        by_verdicts.submit(student)
    assert by_verdicts.enter() == f"{id}: 27 verdicts entered.\n"
    assert by_verdicts.points() == dict.fromkeys(students, 3.0)
    by_verdicts.submit("s001", points=2.0, code="# more")
    assert by_verdicts.enter() == f"{id}: 1 verdict entered, 26 as they were.\n"
    assert by_verdicts.points()["s001"] == 2.0
    shutil.rmtree("submitted")  # it is not needed
    nothing = 0, f"{id}: 0 verdicts entered, 27 as they were.\n"
    assert typed("enter", "results", "--assignment", id) == nothing
    assert typed("enter", f"results/{id}") == nothing


def test_a_student_is_told_what_is_gone_since_an_earlier_submission(by_verdicts):
    mistake = NamedMistake("unscaled", "Not scaled.")
    by_verdicts.submit("ada", code="# 1")
    first, *others = by_verdicts.results.verdict("ada").exercises
    by_verdicts.store("ada", exercises=[replace(first, mistakes=[mistake]), *others])
    by_verdicts.submit("ada", code="# 2")
    by_verdicts.enter()
    assert "Not scaled." in graded_notebook(by_verdicts, "ada").read_text()
    assert "Not scaled." not in Path("results", by_verdicts.id, "ada.json").read_text()


def locked(words: str = "database is locked") -> OperationalError:
    return OperationalError("INSERT", {}, Exception(words))


def test_while_the_gradebook_or_the_results_are_locked_all_wait(by_verdicts):
    for student in ("ada", "ben"):
        by_verdicts.submit(student)
    with by_verdicts.results.exclusively():
        assert "Another run is grading into" in refused("enter", "results")
    with closing(sqlite3.connect("gradebook.db")) as formgrader:
        formgrader.execute("BEGIN EXCLUSIVE")
        printed = by_verdicts.enter("--gradebook", "sqlite:///gradebook.db?timeout=0.2", status=1)
    assert "The gradebook did not take 2 verdicts (" in printed and "database is locked" in printed
    assert "grade again to enter them" in printed and by_verdicts.points() == {}
    assert "2 verdicts entered" in by_verdicts.enter()


def test_penalties_that_cannot_be_written_are_written_the_next_time(by_verdicts):
    by_verdicts.configure("percent_per_day = 10")
    by_verdicts.due(DUE)
    by_verdicts.submit("ada", AT["late"])
    with failing({"UPDATE submitted_notebook SET late_submission_penalty": locked()}):
        printed = by_verdicts.enter(status=1)
    assert "The gradebook did not take the penalties (" in printed and "locked" in printed
    by_verdicts.enter()
    assert by_verdicts.penalties() == {"ada": 0.9}


@pytest.mark.parametrize(
    "error",
    [
        UnicodeEncodeError("utf-8", "\udcff", 0, 1, "no text"),
        DataError("INSERT", {}, Exception("too long")),
        locked("disk I/O error"),
        ValueError("no notebook"),
        RecursionError(),
    ],
    ids=lambda error: type(error).__name__,
)
def test_one_odd_record_keeps_no_other_out(by_verdicts, error):
    for number in range(4):
        by_verdicts.submit(f"s00{number}")
    with failing({"'s002'": error}):
        printed = by_verdicts.enter(status=1)
    assert "The gradebook did not take the verdict on s002 (" in printed
    assert by_verdicts.points().keys() == {"s000", "s001", "s003"}
    assert "1 verdict entered" in by_verdicts.enter() and len(by_verdicts.points()) == 4


def test_a_folder_in_the_way_of_a_graded_notebook_keeps_no_other_out(by_verdicts):
    by_verdicts.submit("ada"), by_verdicts.submit("ben")
    graded_notebook(by_verdicts, "ada").mkdir(parents=True)
    assert "did not take the verdict on ada (" in by_verdicts.enter(status=1)
    assert "ben" in by_verdicts.points()


def test_where_the_gradebook_is_locked_meanwhile_the_rest_waits(by_verdicts):
    for number in range(3):
        by_verdicts.submit(f"s00{number}")
    with failing({"'s001'": ValueError("odd"), "'s002'": locked()}):
        printed = by_verdicts.enter(status=1)
    assert "the verdict on s001 (odd)" in printed and "did not take 1 verdict (" in printed
    assert by_verdicts.points().keys() == {"s000"}


@pytest.mark.parametrize("damage", [None, "{"])
def test_cells_that_are_gone_are_told_and_keep_no_other_out(by_verdicts, damage):
    by_verdicts.submit("ada"), by_verdicts.submit("ben")
    (cells,) = (by_verdicts.results.folder / "cells").glob("ada.*")
    cells.unlink() if damage is None else cells.write_text(damage)
    printed = by_verdicts.enter(status=1)
    assert "the verdict on ada (what its cells said is not kept" in printed
    assert by_verdicts.points() == {"ben": 3.0}


def test_only_what_was_graded_behind_walls_belongs_into_a_gradebook(by_verdicts):
    for student in ("practice", "unreadable", "not-graded", "damaged"):
        by_verdicts.submit(student, AT["in time"], points=1.0)
    stamp = by_verdicts.results.verdict("practice").stamp
    for student, fields in {
        "practice": {"stamp": replace(stamp, sandbox="practice")},
        "unreadable": {"state": "unreadable", "reason": "odd"},  # the one before counts
        "not-graded": {"state": "not_graded", "reason": "odd"},
    }.items():
        by_verdicts.store(student, AT["newest"], **fields)
    (by_verdicts.results.folder / "damaged.json").write_text("{")
    assert "Not entered: 1 practice verdict" in by_verdicts.enter()
    assert by_verdicts.points() == {"unreadable": 1.0}


def test_the_time_is_the_one_beside_the_submission_or_the_one_that_was_kept(by_verdicts):
    by_verdicts.submit("ada", AT["in time"])
    by_verdicts.submit("ben", AT["in time"])
    by_verdicts.submit("eve")
    by_verdicts.store("ben", AT["early"])
    shutil.rmtree(by_verdicts.folder("ben"))
    (by_verdicts.folder("eve") / files.TIMESTAMP).write_text("yesterday, honestly")
    printed = by_verdicts.enter()
    assert printed.count("Taken as handed in without a time.") == 1 and "honestly" not in printed
    found = {"ada": times(AT["in time"]), "ben": times(AT["early"]), "eve": None}
    assert by_verdicts.submitted() == found
    (by_verdicts.folder("ada") / files.TIMESTAMP).write_text(f"{AT['late']} UTC")
    assert "1 verdict entered" in by_verdicts.enter(), "another time is entered, too"
    assert by_verdicts.submitted()["ada"] == times(AT["late"])


def test_what_was_given_by_hand_stays(by_verdicts):
    book = by_verdicts.book
    by_verdicts.submit("ada")
    by_verdicts.enter()
    book.mark("ada", 2.0, comment="Well said.")
    assert "0 verdicts entered" in by_verdicts.enter()
    by_verdicts.store("ada", points=0.5)
    assert "1 verdict entered" in by_verdicts.enter()
    assert book.given("ada") == (2.0, None, "Well said.")
    with Gradebook(book.url) as rows:
        for exercise, points in zip(by_verdicts.assignment.exercises, (0.5, 0, 0), strict=True):
            grade = rows.find_grade(CHECK + exercise.id, by_verdicts.id, by_verdicts.id, "ada")
            assert (grade.auto_score, grade.max_score) == (points, exercise.points)


def test_names_of_the_platform_are_entered_and_names_given_by_hand_stay(by_verdicts):
    plant_people(
        Path("submitted"),
        by_verdicts.id,
        [Person("ada", "Ada Maria Softmax", "ada@uni.example"), Person("ben")],
    )
    for student in ("ada", "ben"):
        by_verdicts.submit(student)
    by_verdicts.enter()
    with Gradebook(by_verdicts.book.url) as rows:
        students = map(rows.find_student, ("ada", "ben"))
        names = [(one.first_name, one.last_name, one.email) for one in students]
        assert names == [("Ada Maria", "Softmax", "ada@uni.example"), (None, None, None)]
        rows.update_or_create_student("ada", last_name="Residual")
    by_verdicts.submit("ada", code="# more")
    assert "1 verdict entered" in by_verdicts.enter()
    with Gradebook(by_verdicts.book.url) as rows:
        assert rows.find_student("ada").last_name == "Residual"


def test_what_is_wrong_with_files_of_the_staff_is_said(by_verdicts):
    by_verdicts.submit("ada")
    records = Path("records.db")
    records.write_bytes(b"\xff\xfe\x00" * 99)
    printed = by_verdicts.enter(status=1)
    assert "records.db` cannot be used (file is not a database)" in printed
    assert records.read_bytes() == b"\xff\xfe\x00" * 99
    records.unlink()
    by_verdicts.enter()
    by_verdicts.write("extensions.csv", "student,assignment,until", "ada,x,soon", "ben,x,later")
    printed = by_verdicts.enter(status=2)
    assert printed.startswith("autograder: `extensions.csv`, line 2:")
    assert printed.count("\n") == 2 and "line 3: `later` is no time" in printed


# The course's settings, and by student: the line in counts.csv, what was submitted, and what counts
COUNTING = {
    "newest": ([], {"newest": ("", FOUR, "newest"), "line": ("best", FOUR, "late")}),
    "in time": (
        ['counts = "in time"'],
        {
            "in-time": ("", FOUR, "in time"),
            "extended": ("", FOUR, "late"),
            "too-late": ("", {"late": 3.9, "newest": 4.0}, "newest"),  # there is none in time
            "timeless": ("", {"": 4.0, "unknown": 1.0}, "unknown"),
            "line": ("newest", FOUR, "newest"),
        },
    ),
    "in time, with grace": (
        ['counts = "in time"', "grace_minutes = 90"],
        {"grace": ("", FOUR, "late")},
    ),
    "in time, with late days": (
        ['counts = "in time"', "late_days = 5"],  # a late day makes nothing be in time
        {"in-time": ("", FOUR, "in time")},
    ),
    "best": (
        ['counts = "best"', 'timezone = "Europe/Berlin"'],
        {
            "best": ("", FOUR, "late"),  # 3.9 - 0.9, 4 - 1.8, 2.5
            "as-good": ("", {"in time": 2.2, "newest": 4.0}, "in time"),  # and earlier
            "timeless": ("", {"": 4.0, "in time": 1.0, "newest": 4.0}, "newest"),
            "word": ("In time", FOUR, "in time"),
            "local": ("2026-01-10 18:55", FOUR, "in time"),
            "utc": ("2026-01-10 17:55Z", FOUR, "in time"),
            "named": ("2026-01-10 18:55 CET", FOUR, "in time"),  # as the doubt below writes it
            "no-time": ("2026-01-10 18:56", FOUR, "late"),
        },
    ),
    "best, with late days": (
        ['counts = "best"', "late_days = 5"],
        {"free": ("", FOUR, "newest"), "spent": ("", FOUR, "late")},
    ),
}


@pytest.mark.parametrize(("settings", "students"), COUNTING.values(), ids=COUNTING)
def test_the_rule_of_the_course_or_a_line_of_staff_chooses(by_verdicts, settings, students):
    by_verdicts.configure("percent_per_day = 10", *settings)
    by_verdicts.due(DUE)
    for student, (_, sent, _) in students.items():
        for name, points in sent.items():
            by_verdicts.submit(student, AT.get(name, ""), points, code=f"# {name}")
    chosen = [f"{who},{{id}},{line}" for who, (line, _, _) in students.items() if line]
    by_verdicts.write("counts.csv", "student,assignment,counts", *chosen)
    if "extended" in students:
        line = "extended,{id},2026-01-11 18:00Z"
        by_verdicts.write("extensions.csv", "student,assignment,until", line)
    with Gradebook(by_verdicts.book.url) as rows:
        rows.add_assignment("other", duedate=times("2026-01-05 18:00"))
        if "spent" in students:
            rows.add_student("spent")
            rows.add_submission("other", "spent", timestamp=times(DUE))
    printed = by_verdicts.enter()
    points, submitted = by_verdicts.points(), by_verdicts.submitted()
    for student, (_, sent, counts) in students.items():
        when = AT.get(counts)
        assert points[student] == sent[counts], student
        assert submitted[student] == (times(when) if when else None), student
        is_newest = counts == [*sent][-1]
        assert (f"{student}: The submission of " in printed) is not is_newest, student
        assert f"# {counts}" in graded_notebook(by_verdicts, student).read_text(), student
    if "no-time" in students:
        assert "no submission is of 2026-01-10 18:56 CET. Write one of these times: " in printed
    assert f"0 verdicts entered, {len(students)} as they were" in by_verdicts.enter()


def test_the_sentence_says_which_submission_counts_and_why(by_verdicts):
    by_verdicts.configure(
        "percent_per_day = 10", 'counts = "in time"', 'timezone = "Europe/Berlin"'
    )
    by_verdicts.due(DUE)
    for name, points in FOUR.items():
        by_verdicts.submit("ada", AT[name], points)
    sentence = (
        "ada: The submission of 2026-01-10 18:55 CET (2.5 points) counts, the last in time, not the "
        "newest, of 2026-01-12 19:00 CET (4 less 1.8 points)."
    )
    assert sentence in by_verdicts.enter()
    by_verdicts.write("counts.csv", "student,assignment,counts", f"ada,{{id}},{AT['early']}Z")
    assert "counts, as staff chose, not the newest" in by_verdicts.enter()
    by_verdicts.submit("ada", AT["newest"], points=1.0, code="# again")
    Path("counts.csv").unlink()
    with failing({"UPDATE ": locked()}):
        assert "did not take 1 verdict (" in by_verdicts.enter(status=1)
    counted = verdicts.read_counted(Path("results"), by_verdicts.id)
    assert counted.keys() == {"ada"}, "what counted before still does"


def test_practice_never_counts_instead_of_a_grade(by_verdicts):
    by_verdicts.configure('counts = "best"')
    by_verdicts.due(DUE)
    by_verdicts.submit("ada", AT["early"], points=4.0)
    path = by_verdicts.results.folder / "ada.json"
    verdict = read_verdict(path)
    practice = replace(verdict, stamp=replace(verdict.stamp, sandbox="practice"))
    write_verdict(path, practice)
    by_verdicts.submit("ada", AT["in time"], points=3.0)
    by_verdicts.submit("ada", AT["late"], points=2.0)
    by_verdicts.enter()
    assert by_verdicts.points() == {"ada": 3.0}
