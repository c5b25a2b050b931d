"""Records of marks with the name of the marker, because nbgrader's gradebook has only the mark. If
a marker marks an answer several times, the last mark counts.
"""

from pathlib import Path

from msgspec import Struct

from autograder.classroom.records import add_records, read_records, stored_in


@stored_in("given_marks", earlier="marking/given.jsonl")
class GivenMark(Struct, frozen=True):
    """A mark for an answer of a student, as its marker gave it."""

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
        """Student, exercise, marker and version of the answer."""
        return self.student, self.exercise, self.marker, self.answer


def add_given(results: Path, assignment_id: str, *marks: GivenMark) -> None:
    """Record marks of an assignment, all or none. Raises `AutograderError` if the records cannot be
    used. `results`: the folder of all results.
    """
    add_records(results, assignment_id, marks)


def read_given(results: Path, assignment_id: str) -> list[GivenMark]:
    """Return the last mark for each answer and marker. Raises `AutograderError` if the records
    cannot be used. `results`: the folder of all results.
    """
    marks = read_records(results, assignment_id, GivenMark)
    return list({mark.key: mark for mark in marks}.values())
