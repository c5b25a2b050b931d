"""What one tutor gets: the answers to mark, those to mark a second time, and the files of both."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from autograder.engine.course.assignment import Assignment
from autograder.staff.marking.answers import WrittenAnswer, groups
from autograder.staff.marking.page import Track, write_page
from autograder.staff.marking.sheets import write_list, write_second
from autograder.staff.marking.split import Split


@dataclass(frozen=True)
class Share:
    """The answers of one tutor of an assignment."""

    assignment: Assignment
    answers: Sequence[WrittenAnswer]  # of the whole class, so that equal ones can be told
    split: Split
    tutor: int

    @cached_property
    def to_mark(self) -> list[WrittenAnswer]:
        """The open answers of this tutor."""
        return [
            one
            for one in self.answers
            if one.mark.cell.is_open and self.split.first(one.student, one.exercise) == self.tutor
        ]

    @cached_property
    def to_mark_again(self) -> list[WrittenAnswer]:
        """Answers, marked or not, that this tutor marks a second time."""
        return [
            one
            for one in self.answers
            if one.mark.cell.is_written
            and self.split.second(one.student, one.exercise) == self.tutor
        ]

    def write(self, folder: Path, track: Track = iter) -> tuple[list[Path], int]:
        """Write tables and pages; return their paths, and how many second marks were there and stay.

        Raises `SheetError`, `OSError`.
        """
        together = groups(self.answers)
        open_ones = {one.mark.cell.grade_id for one in self.to_mark}
        page, table = self._paths(folder, "tutor" if self.split.tutors > 1 else "all")
        title = f"tutor {self.tutor} of {self.split.tutors}" if self.split.tutors > 1 else "to mark"
        write_list(table, together, open_ones)
        write_page(page, title, self.assignment, together, open_ones, blind=False, track=track)
        paths, kept = [page, table], 0
        if self.to_mark_again:
            again = {one.mark.cell.grade_id for one in self.to_mark_again}
            page, table = self._paths(folder, "second")
            kept = write_second(table, self.assignment.id, self.to_mark_again)
            title = f"second marks, {title}" if self.split.tutors > 1 else "second marks"
            write_page(page, title, self.assignment, together, again, blind=True, track=track)
            paths += [page, table]
        return paths, kept

    def _paths(self, folder: Path, name: str) -> tuple[Path, Path]:
        if self.split.tutors > 1:
            name = f"{name}-{self.tutor}-of-{self.split.tutors}"
        return folder / f"{name}.html", folder / f"{name}.csv"
