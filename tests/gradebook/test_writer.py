"""Verdicts enter in batches; what was not entered waits, and is told at the end."""

import pytest
from sqlalchemy.exc import OperationalError

from autograder.engine.submission import Submission
from autograder.engine.verdict import Stamp, Verdict
from autograder.gradebook.writer import BATCH, GradebookWriter
from autograder.people import Person

STAMP = Stamp(grader="g", submission="a", torch="2", python="3", seed=1, sandbox="namespaces")


class Course:
    """Takes records, unless it has an error to raise."""

    def __init__(self) -> None:
        self.batches: list[list] = []
        self.error: Exception | None = None

    def rows(self, assignment) -> dict:
        if self.error:
            raise self.error
        return {}

    def enter(self, assignment, records) -> None:
        if self.error:
            raise self.error
        self.batches.append(list(records))


def locked(words: str = "database is locked") -> OperationalError:
    return OperationalError("INSERT", {}, Exception(words))


@pytest.fixture
def course() -> Course:
    return Course()


@pytest.fixture
def writer(course, small, tmp_path) -> GradebookWriter:
    folders = {f"s{number:03}": tmp_path for number in range(BATCH + 1)}
    return GradebookWriter(course, small, folders, {"s000": Person("s000", "Ada Softmax")})


def add(writer: GradebookWriter, count: int) -> None:
    """Add verdicts on this many students."""
    for number in range(count):
        student = f"s{number:03}"
        verdict = Verdict(student, "sheet", "graded", 0.0, 1.0, [], [], 0.1, STAMP)
        writer.add(verdict, Submission([], student), {})


def test_verdicts_enter_in_batches_and_the_rest_at_the_end(writer, course):
    add(writer, BATCH + 1)
    assert [len(batch) for batch in course.batches] == [BATCH]
    assert writer.finish() == []
    assert [len(batch) for batch in course.batches] == [BATCH, 1]
    assert course.batches[0][0].person.name == "Ada Softmax"


def test_what_does_not_enter_waits_and_is_told(writer, course):
    course.error = locked()
    add(writer, 2)
    (sentence,) = writer.finish()
    assert sentence.startswith("The gradebook did not take 2 verdicts (")
    assert "database is locked" in sentence and "grade again to enter them" in sentence
    course.error = None
    assert writer.finish() == [] and len(course.batches[0]) == 2


def test_a_gradebook_that_is_locked_at_the_beginning_is_taken_as_empty(course, small):
    course.error = locked()
    assert GradebookWriter(course, small, {}, {}).rows == {}
    course.error = locked("disk I/O error")
    with pytest.raises(OperationalError):
        GradebookWriter(course, small, {}, {})


def test_what_cannot_be_read_never_enters(writer, course):
    verdict = Verdict("s000", "sheet", "unreadable", 0.0, 1.0, [], [], 0.1, STAMP)
    writer.add(verdict, Submission([], "s000", unreadable="its JSON is damaged."), {})
    assert writer.finish() == [] and course.batches == []


def test_a_time_that_is_none_is_noted_once(writer, course, tmp_path):
    (tmp_path / "timestamp.txt").write_text("yesterday, honestly")
    add(writer, 2)
    writer.finish()
    (note,) = writer.notes
    assert note.endswith("Taken as handed in without a time.")
    assert [one.submitted for one in course.batches[0]] == [None, None]


def test_without_a_course_there_is_nothing_to_enter(small):
    writer = GradebookWriter(None, small, {}, {})
    add(writer, BATCH)
    assert writer.waiting == [] and writer.finish() == []
    verdict = Verdict("s000", "sheet", "graded", 0.0, 1.0, [], [], 0.1, STAMP)
    assert writer.agrees_with(verdict)
