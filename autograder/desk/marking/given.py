"""Marks that a marker has given, with the marker's name: nbgrader's gradebook has the mark alone.

results/<assignment>/marking/given.jsonl    a line for each mark; of a marker's for one answer, the last counts
"""

from pathlib import Path

from msgspec import Struct

from autograder.engine import files


class GivenMark(Struct, frozen=True):
    """A mark for one answer of a student, as its marker gave it."""

    student: str
    exercise: str
    marker: str
    points: float
    answer: str  # the version of the answer that was marked: `WrittenAnswer.version`
    given_at: str  # ISO 8601, in UTC
    comment: str = ""
    items: tuple[str, ...] = ()  # those of the marking scheme that were chosen
    is_first: bool = False  # the gradebook has it; else it is a second mark

    @property
    def key(self) -> tuple[str, str, str, str]:
        """Student, exercise, marker and answer."""
        return self.student, self.exercise, self.marker, self.answer


def given_path(results: Path, assignment_id: str) -> Path:
    """Return the path of the file with an assignment's marks. `results`: the folder of all results."""
    return results / assignment_id / "marking" / "given.jsonl"


def add_given(results: Path, assignment_id: str, mark: GivenMark) -> None:
    """Append a mark to the file of an assignment's marks. `results`: the folder of all results.
    Raises `OSError` if it cannot be written.
    """
    files.add_record(given_path(results, assignment_id), mark)


def read_given(results: Path, assignment_id: str) -> list[GivenMark]:
    """Return the marks of an assignment: for each answer and marker the last one that was given;
    [] if there are none.

    `results`: the folder of all results. Raises `OSError` if the file cannot be read.
    """
    marks = files.read_records(given_path(results, assignment_id), GivenMark, results)
    return list({mark.key: mark for mark in marks}.values())
