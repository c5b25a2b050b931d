"""After grading without a sandbox: every command says practice, and none that nothing was graded."""

import csv
import re
from dataclasses import dataclass
from pathlib import Path

import pytest
from exports import BEN, ID, keep, wrong
from exports import verdict as graded
from feedback_pages import verdict
from msgspec.structs import replace
from nbgrader.api import Gradebook
from recorded import plant_people
from report_classes import ODD
from submissions import hand_in_comments
from typed_commands import typed

from autograder import CheckResult, ExerciseResult, Verdict
from autograder.classroom.roster import Person

UNPROTECTED = "--yes-run-untrusted-code-unprotected"


NOTHING = re.compile(r"(?i)nothing\b.{0,30}\bgraded|not graded yet|grade first")
BOX = re.compile(r'<p class="practice">(.*?)</p>')


def practice(made: Verdict, **fields: object) -> Verdict:
    """The verdict as a run without a sandbox gives it."""
    return replace(made, stamp=replace(made.stamp, sandbox="practice"), **fields)


@dataclass
class Practised:
    """A course in which `ada` and `ben` are graded without a sandbox, and `cleo` is unreadable."""

    id: str
    printed: str  # by `grade`

    def page(self, student: str) -> str:
        return Path("feedback", student, self.id, f"{self.id}.html").read_text()


@pytest.fixture
def practised(copied, monkeypatch) -> Practised:
    monkeypatch.chdir(copied.course.root)
    notebooks = hand_in_comments(copied, Path("submitted"), ["ada", "ben", "cleo"])
    notebooks["cleo"].write_text("{")
    people = [Person(student, f"{student} Softmax") for student in notebooks]
    plant_people(Path("submitted"), copied.id, people)
    status, printed = typed("grade", "--sandbox", "off", UNPROTECTED)
    assert status == 0, printed
    return Practised(copied.id, printed)


@pytest.mark.walls
@pytest.mark.slow
def test_every_command_says_practice_and_none_that_nothing_was_graded(practised):
    id = practised.id
    assert practised.printed.count("not attempted, practice") == 2
    with Path("results", id, "grades.csv").open(encoding="utf-8") as file:
        states = {row["student"]: row["state"] for row in csv.DictReader(file)}
    assert states == {"ada": "practice", "ben": "practice", "cleo": "unreadable"}

    status, printed = typed("feedback")
    assert (
        status == 0 and printed == f"{id}: 2 pages marked as practice, graded without a sandbox.\n"
    )
    assert typed("feedback", id) == (0, printed)
    assert "Practice: graded without a sandbox." in practised.page("ada")
    assert "Your notebook could not be read" in practised.page("cleo")

    export = ["export", "--assignment", id, "--format"]
    for words in ("csv", "canvas", "moodle", "gradescope", "git", "ilias", "csv --no-gradebook"):
        status, printed = typed(*export, *words.split())
        assert status == 2 and printed.count("\n") == 1
        assert f"{id} is not exported: 2 of 3 verdicts are practice" in printed
        assert not Path("results", id, "export").exists()

    assert not Path("gradebook.db").exists()
    commands = {
        ("status",): "2  graded as practice ",
        ("show", "ada"): "0 of 7 points by automatic checks, practice\n  Practice: graded without",
        ("report",): "3 verdicts, 2 of them graded, 2 as practice.",
        ("enter",): "0 verdicts entered.\nNot entered: 2 practice verdicts",
        ("course", "grades", "--to", "all.csv"): f"{id}: 2 cells are empty, because the verdicts",
        ("marking", "list"): "`results/` has practice verdicts, which no gradebook takes",
        ("marking", "copy-marks"): "`results/` has practice verdicts, which no gradebook takes",
        ("inquiries", "list"): "no inquiries",
        ("look-alikes",): "2 submissions were compared",
        ("student", "export", "ada", "--to", "ada.zip", "--yes"): "ada.zip",
    }
    for words, sentence in commands.items():
        _, printed = typed(*words)
        assert sentence in printed and not NOTHING.search(printed), printed
    report = Path("report.html").read_text()
    assert "Practice: 2 verdicts were graded without a sandbox." in report
    assert "2 of practice" in report
    assert typed("report", "--debrief", "--out", "debrief.html")[0] == 0
    assert "2 submissions were graded without a sandbox" in Path("debrief.html").read_text()
    with Gradebook("sqlite:///gradebook.db") as gradebook:
        assert not gradebook.assignments and not Path("autograded").exists()
    typed("student", "delete", "ben", "--yes", "--keep-points")
    assert ",practice,0.0,7.0" in Path("results", id, "kept-points.csv").read_text()


@pytest.mark.walls
@pytest.mark.slow
def test_practice_waits_neither_to_be_graded_nor_to_be_entered(practised):
    status, printed = typed("status")
    assert status == 0
    for row in ("not graded, or changed since", "not in the gradebook"):
        assert f"0  {row}" in printed
    assert "export" not in printed
    assert (
        f">     2  graded as practice                  python -m autograder grade --assignment {practised.id}"
        in printed
    )


def test_a_page_of_practice_has_points_checks_and_messages_and_runs_nothing(copied, monkeypatch):
    monkeypatch.chdir(copied.course.root)
    plant_people(Path("submitted"), copied.id, [Person("ben", ODD)])
    checks = [CheckResult("test_odd", 0.0, 1.0, False, ODD)]
    odd = ExerciseResult("softmax", "answered", 0.0, 1.0, checks, [])
    keep(practice(verdict()))
    keep(practice(verdict(odd), student="ben"))
    assert typed("feedback")[0] == 0
    pages = [
        Path("feedback", student, copied.id, f"{copied.id}.html").read_text()
        for student in ("ada", "ben")
    ]
    for page in pages:
        assert f"<title>Practice: {copied.id}: " in page
        assert (
            "These points are not a grade. Written answers are not marked." in BOX.search(page)[1]
        )
        assert "<script" not in page and "<img" not in page and "default-src 'none'" in page
    ada, ben = pages
    for text in (
        "total: 4.5 of 7, practice",
        "<code>eps</code> is &lt;added&gt; behind the root.",
        "This part still raises <code>NotImplementedError</code>.",
        "The cell <code>softmax</code> had lost its id.",
    ):
        assert text in ada, text
    assert "reaches beyond its exercise" not in ada  # for staff only
    assert "&lt;script&gt;canary()" in ben


def test_each_member_of_a_group_gets_the_page(copied, monkeypatch):
    monkeypatch.chdir(copied.course.root)
    Path("groups.csv").write_text("student,group\nada,g7\nben,g7\n")
    keep(practice(verdict(), student="g7"))
    status, printed = typed("feedback")
    assert status == 0 and "2 pages marked as practice" in printed
    assert sorted(path.name for path in Path("feedback").iterdir()) == ["ada", "ben"]


def test_one_practice_verdict_stops_the_export_of_a_class(export):
    keep(practice(graded(BEN, 7.5)))
    message = wrong(export, "csv")
    assert f"{ID} is not exported: 1 of 3 verdicts is practice" in message
    assert "Run `grade` where a sandbox works, then export again." in message


def test_status_counts_each_kind_of_sandbox_in_one_line(copied, monkeypatch):
    monkeypatch.chdir(copied.course.root)
    row = "graded behind namespaces"
    made = verdict()
    for student in ("ada", "ben"):
        keep(replace(made, student=student))
    assert f"2  {row}\n" in typed("status")[1]
    keep(replace(made, student="cleo", stamp=replace(made.stamp, sandbox="landlock")))
    assert "3  graded: 1 behind Landlock, 2 behind namespaces\n" in typed("status")[1]
    assert f"--format FORMAT --assignment {copied.id}" in typed("status")[1]
    keep(practice(made, student="dan"))
    _, printed = typed("status")
    assert "4  graded: 1 behind Landlock, 2 behind namespaces, 1 as practice " in printed
    assert "3  not in the gradebook" in printed and "3  not exported\n" in printed
