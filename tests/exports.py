"""A small class with verdicts, a roster and a gradebook, for tests of exports, and the command."""

import csv
import datetime
from pathlib import Path

import msgspec
from downloads import COURSE
from downloads import ID as COLLECTED
from importers import Canvas, Moodle
from nbgrader.api import Gradebook
from recorded import plant_people, plant_unmatched

from autograder import CheckResult, ExerciseResult, NamedMistake, Verdict, write_verdict
from autograder._commands.main import main
from autograder.classroom.roster import Person
from autograder.engine.verdicts import Stamp
from autograder.engine.verdicts.history import add_to_history

ID = "sheet-3"
STAMP = Stamp(
    grader="g", submission="s", torch="2.13.0", python="3.11", seed=1, sandbox="namespaces"
)
UNSCALED = NamedMistake("unscaled", "The scores are not divided by `sqrt(d_k)`.")
ADA, BEN, CLEO, DAN = "ada-softmax", "ben-query", "cleo-mask", "dan-token"
NAMES = {ADA: "Ada Softmax", BEN: "Ben Query", CLEO: "Cleo Mask", DAN: "Dan Token"}
COLUMN = "Sheet 3 (4711)"


def verdict(student: str, points: float, state: str = "graded", **more) -> Verdict:
    """Two exercises: one right, one with what is missing from 10."""
    lost = 10 - points
    checks = [
        CheckResult("test_values", 6 - lost, 6.0, not lost, "By which number?" if lost else None)
    ]
    mistakes = [UNSCALED] if lost else []
    right = CheckResult("test_shape", 4.0, 4.0, True, None)
    exercises = [
        ExerciseResult("first_part", "answered", 4.0, 4.0, [right], []),
        ExerciseResult("second_part", "answered", 6 - lost, 6.0, checks, mistakes),
    ]
    if state != "graded":
        points, exercises = 0.0, []
    return Verdict(student, ID, state, points, 10.0, exercises, [], 0.1, STAMP, **more)


def write_class() -> None:
    """Make this folder a course with results of three: ada 10, ben 7.5, cleo unreadable."""
    Path("nbgrader_config.py").write_text("c = get_config()\n")
    for one in (
        verdict(ADA, 10.0),
        verdict(BEN, 7.5),
        verdict(CLEO, 0.0, "unreadable", reason="its JSON is damaged."),
    ):
        keep(one)


class Export:
    """Runs `export` on the results in this folder."""

    def __init__(self, capfd):
        self.capfd = capfd

    def __call__(self, *words: str | Path) -> tuple[int, str]:
        """Export in the format that is the first word; return the exit status and what was said."""
        status = main(["export", "results", "--format", *map(str, words)])
        return status, "".join(self.capfd.readouterr())

    def into(self, platform: Canvas | Moodle) -> str:
        """Fill the platform's own sheet, which it takes back; return what was said."""
        name = type(platform).__name__.lower()
        Path("sheet.csv").write_bytes(platform.export())
        status, said = self(name, "--sheet", "sheet.csv")
        assert status == 0, said
        platform.take(made(f"{name}.csv"))
        return said


def made(name: str) -> bytes:
    """A file of the export."""
    return Path("results/sheet-3/export", name).read_bytes()


def export_collected(into: Path, format: str, points: dict[str, float], *words: str) -> Path:
    """Invent verdicts on what was collected, and export them; return the folder of the export."""
    results = into.parent / "results"
    for student, given in points.items():
        made = msgspec.structs.replace(verdict(student, given), assignment=COLLECTED)
        write_verdict(results / COLLECTED / f"{student}.json", made)
    where = ["--submitted", str(into), "--course", str(COURSE), "--no-gradebook"]
    assert main(["export", str(results), "--format", format, *where, *words]) == 0
    return results / COLLECTED / "export"


def keep(one: Verdict) -> None:
    """Write a verdict among the results."""
    write_verdict(Path("results", one.assignment, f"{one.student}.json"), one)


def keep_earlier(verdict: Verdict, submitted: datetime.datetime | None = None) -> None:
    """Write a verdict on an earlier submission among the results."""
    add_to_history(Path("results"), verdict, submitted)


def enroll(platform: str, numbers: dict[str, str]) -> None:
    """Write the roster: students with these numbers on a platform."""
    people = [
        Person(student, NAMES[student], f"{student}@uni.example", platform, number)
        for student, number in numbers.items()
    ]
    plant_people(Path("submitted"), ID, people)


def receive_without_place(person: Person, assignment: str = ID) -> None:
    """Keep what `collect` received of somebody and could not place."""
    reason = "Two notebooks, and none has the right name."
    plant_unmatched(Path("submitted"), assignment, person, reason)


def enter(points: dict[str, float], by_hand: dict[str, float], penalty: dict[str, float]) -> None:
    """Put these automatic points into the gradebook, as grading does, and what a person gave."""
    with Gradebook("sqlite:///gradebook.db") as book:
        book.add_assignment(ID)
        book.add_notebook(ID, ID)
        names = ID, ID
        book.add_grade_cell("check", *names, max_score=10, cell_type="code")
        book.add_grade_cell("explain", *names, max_score=4, cell_type="markdown")
        for student, automatic in points.items():
            book.add_student(student)
            book.add_submission(ID, student, timestamp=datetime.datetime(2026, 11, 2, 9, 30))
            grade = book.find_grade("check", *names, student)
            grade.auto_score, grade.needs_manual_grade = automatic, False
            if student in by_hand:
                grade = book.find_grade("explain", *names, student)
                grade.manual_score, grade.needs_manual_grade = by_hand[student], False
            notebook = book.find_submission_notebook(ID, *names[:1], student)
            notebook.late_submission_penalty = penalty.get(student)
        book.db.commit()


def rows(path: str | Path) -> list[dict[str, str]]:
    """The rows of an exported table."""
    with Path("results/sheet-3/export", path).open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file, strict=True))


def by_student(path: str | Path = "students.csv") -> dict[str, dict[str, str]]:
    return {row["student"]: row for row in rows(path)}


def canvas_course(**grades: str) -> Canvas:
    """A course in Canvas with three of the class, given these grades: u101="7"."""
    people = {
        "101": {"Student": "Softmax, Ada", "SIS User ID": "S1", "SIS Login ID": ADA},
        "102": {"Student": "Query, Ben", "SIS User ID": "S2", "SIS Login ID": BEN},
        "103": {"Student": "Mask, Cleo", "SIS User ID": "S3", "SIS Login ID": CLEO},
        "109": {"Student": "Student, Test", "SIS User ID": "", "SIS Login ID": "f00"},
    }
    other = {"101": "3.5", "103": "EX", "109": "1"}
    given = {id.removeprefix("u"): grade for id, grade in grades.items()}
    return Canvas(
        people, {"Warm-up (17)": other, COLUMN: given}, {"Warm-up (17)": "5", COLUMN: "10"}
    )


def moodle_assignment(**more) -> Moodle:
    """An assignment in Moodle with the whole class, numbered from 2000."""
    people = {
        str(2000 + i): {"name": name, "email": f"{student}@uni.example"}
        for i, (student, name) in enumerate(NAMES.items())
    }
    return Moodle(people, 10.0, **more)


def wrong(export: Export, *words: str) -> str:
    """Export what is refused as wrong usage in one sentence; return that."""
    status, said = export(*words)
    assert status == 2 and said.count("\n") == 1, said
    assert not Path("results/sheet-3/export").exists()
    return said
