"""A class with marks that students doubt: a course, its gradebook, verdicts and who has marked what."""

from datetime import UTC, datetime
from pathlib import Path

from feedback_pages import result, verdict
from msgspec.structs import replace
from typed_commands import typed
from written_answers import Book, graded

from autograder import write_verdict
from autograder.desk.marking.given import GivenMark, add_given
from autograder.gradebook.inquiries import Decision, Inquiry, read_inquiries

SHEET = "small-sheet"
RESULTS = Path("results")
NOON = datetime(2026, 12, 1, 12, tzinfo=UTC)
MARKERS = 'c.Marking.markers = ["Kim", "Lee"]\n'


def fill(book: Book) -> None:
    """Make this folder's course one in which ada and ben are graded, and Kim has marked ada's text."""
    configure(MARKERS)
    for student in ("ada", "ben"):
        book.enter(**{student: graded(book.assignment, f"{student} says so.")})
        write_verdict(RESULTS / SHEET / f"{student}.json", replace(verdict(), student=student))
    book.mark("ada", 1.0, comment="Which root?")
    mark_by("Kim", "ada", "explain")


def configure(line: str) -> None:
    """Add a line to the course's configuration."""
    with Path("nbgrader_config.py").open("a") as file:
        file.write(line)


def mark_by(marker: str, student: str, exercise: str) -> None:
    """Note that this person has given a mark."""
    add_given(RESULTS, SHEET, GivenMark(student, exercise, marker, 1.0, "v1", "2026-11-30"))


def add(student: str, exercise: str, text: str = "Why?", *words: str) -> tuple[int, str]:
    """Record an inquiry by its command."""
    one = ["--student", student, "--assignment", SHEET, "--exercise", exercise]
    return typed("inquiries", "add", *one, "--text", text, *words)


def answer(student: str, exercise: str, by: str, *words: object) -> tuple[int, str]:
    """Answer one by its command."""
    of = ["--assignment", SHEET, "--by", by]
    return typed("inquiries", "answer", student, exercise, *of, "--reason", "So be it.", *words)


def recorded() -> dict[tuple[str, str], Inquiry]:
    return read_inquiries(RESULTS, SHEET)


def decision(old: float, new: float, by: str = "Lee", **more) -> Decision:
    return Decision(by, NOON, old, new, 2.0, "So <b>it</b> is.", **more)


def earlier(student: str):
    """A verdict that a student had before, with fewer points."""
    return replace(verdict(result("softmax", 0.5, 2.0)), student=student)
