"""Types for the marks of one submission in the gradebook: points, comments, times, penalty."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple

from autograder.engine import courses, files, name_some, plural


class CellMark(NamedTuple):
    """The points of one cell in one submission: `automatic` ones, those given `by_hand` instead,
    and `extra` credit, each None if there are none. `is_open`: whether a person still has to mark
    or look at it; `is_written`: whether it is marked by a person alone.
    """

    name: str  # nbgrader's `grade_id`
    max_points: float
    automatic: float | None  # None: a person marks it
    by_hand: float | None  # None: nobody has given anything else
    extra: float | None
    is_open: bool  # a person has to look, for the first time or again
    is_written: bool = False  # marked by hand alone, as by the release
    grade_id: str = ""  # of the row in nbgrader's database
    notebook_id: str = ""
    earlier: float | None = None  # given by hand for an answer that has changed since
    answer_id: str = ""  # the digest of the answer, "" if it is not known
    owner: str = ""  # the student or group who submitted the answer, "" if that is not known

    @property
    def exercise(self) -> str:
        return self.name.removeprefix(courses.CHECK)

    @property
    def points(self) -> float:
        """The points that count: those given by hand, else the automatic ones; plus extra credit,
        which nbgrader does not count before there are points.
        """
        given = self.automatic if self.by_hand is None else self.by_hand
        return 0.0 if given is None else given + (self.extra or 0.0)


@dataclass(frozen=True)
class StudentMarks:
    """One student's submission in the gradebook, with its marks and penalty. Times are naive UTC."""

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
        """The sum of what people gave: points of cells marked by hand, and what they added to or
        took from automatic points.
        """
        return self.points - self.automatic

    @property
    def total(self) -> float:
        """What counts in the end: the points without the penalty, at least 0."""
        return max(0.0, self.points - self.penalty)

    @property
    def waiting(self) -> int:
        """The number of cells that still need manual grading."""
        return sum(cell.is_open for cell in self.cells)

    @property
    def digest(self) -> str:
        """A digest of the points, comments and penalty, which changes if a person changes one."""
        cells = [[one.name, *map(str, one[1:6])] for one in self.cells]
        return files.digest_of(cells, sorted(map(list, self.comments.items())), str(self.penalty))


def about_open(marks: Mapping[str, StudentMarks], then: str) -> list[str]:
    """Return a list with a sentence on the cells that a person still has to mark; [] if there are
    none.

    `marks`: by student; `then`: what to do when they are marked, such as `Export again`.
    """
    waiting = {student: mark.waiting for student, mark in marks.items() if mark.waiting}
    if not waiting:
        return []
    return [
        f"Still to be marked by hand: {plural(sum(waiting.values()), 'written exercise')} of "
        f"{plural(len(waiting), 'student')} ({name_some([*waiting])}). {then} when they are."
    ]
