"""Marks of a submission in the gradebook: points, comments, times, penalty."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple

from autograder.engine import courses, files, name_some, plural


class CellMark(NamedTuple):
    """The points of a cell in a submission."""

    name: str  # nbgrader's `grade_id`
    max_points: float
    automatic: float | None  # None for a manually graded cell
    by_hand: float | None  # None without a mark by hand
    extra: float | None
    is_open: bool  # needs marking, for the first time or again
    is_written: bool = False  # marked by hand alone, as by the release
    grade_id: str = ""  # of the row in nbgrader's database
    notebook_id: str = ""
    earlier: float | None = None  # given by hand for an answer that has changed since
    answer_id: str = ""  # digest of the answer, "" if unknown
    owner: str = ""  # the student or group that submitted the answer, "" if unknown

    @property
    def exercise(self) -> str:
        return self.name.removeprefix(courses.CHECK)

    @property
    def points(self) -> float:
        """The points that count, by hand or automatic, with extra credit."""
        points = self.automatic if self.by_hand is None else self.by_hand
        # nbgrader counts extra credit only if there are points
        return 0.0 if points is None else points + (self.extra or 0.0)


@dataclass(frozen=True)
class StudentMarks:
    """A student's submission in the gradebook, with marks and penalty. Times are naive UTC."""

    submitted: datetime | None
    due: datetime | None
    penalty: float
    cells: list[CellMark] = field(default_factory=list)  # by name
    comments: Mapping[str, str] = field(default_factory=dict)  # a person's, by cell
    name: str = ""
    email: str = ""

    @property
    def points(self) -> float:
        return sum(cell.points for cell in self.cells)

    @property
    def max_points(self) -> float:
        return sum(cell.max_points for cell in self.cells)

    @property
    def automatic(self) -> float:
        return sum(cell.automatic or 0.0 for cell in self.cells)

    @property
    def by_hand(self) -> float:
        """Sum of points by hand: manually graded cells, and changes of automatic points."""
        return self.points - self.automatic

    @property
    def total(self) -> float:
        """The final points after the penalty, at least 0."""
        return max(0.0, self.points - self.penalty)

    @property
    def waiting(self) -> int:
        """Number of cells that need marking."""
        return sum(cell.is_open for cell in self.cells)

    @property
    def digest(self) -> str:
        """A digest of points, comments and penalty, which changes with any of them."""
        cells = [[cell.name, *map(str, cell[1:6])] for cell in self.cells]
        return files.digest_of(cells, sorted(map(list, self.comments.items())), str(self.penalty))


def about_open(marks: Mapping[str, StudentMarks], then: str) -> list[str]:
    """Return a sentence on cells that need marking, or []. `then`: the next step."""
    waiting = {student: mark.waiting for student, mark in marks.items() if mark.waiting}
    if not waiting:
        return []
    return [
        f"Still to be marked by hand: {plural(sum(waiting.values()), 'written exercise')} of "
        f"{plural(len(waiting), 'student')} ({name_some([*waiting])}). {then} when they are."
    ]
