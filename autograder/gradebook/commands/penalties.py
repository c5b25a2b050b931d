"""Print a class's late penalties, and enter them into the gradebook."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from autograder.classroom.newest_files import late_by_word
from autograder.gradebook.commands.late_lines import entered_lines, late_lines, unsaid_lines

if TYPE_CHECKING:  # imports nbgrader, which not every run needs
    from autograder.gradebook.sync.enter import GradebookSync


class ClassPenalties:
    """The late penalties of one assignment's students, as the late policy gives them and as the
    gradebook has them; without a gradebook there are none.
    """

    def __init__(self, gradebook: GradebookSync | None, place: Path):
        """Read the penalties; nothing is written. `place`: the folder of all submissions."""
        self.gradebook = gradebook
        self.penalties = gradebook.penalties() if gradebook else {}
        self.lateness = {student: one.lateness for student, one in self.penalties.items()}
        self.by_word = self._late_by_word(gradebook, place) if gradebook else {}
        self.unsaid = [student for student, is_late in self.by_word.items() if is_late]

    def reasons(self) -> Iterator[str]:
        """Yield a line for each late student, and one for each problem with times and settings on
        which penalties depend.
        """
        if self.gradebook is None:
            return
        on_times = self.gradebook.notes_on_times(self.penalties, self.by_word)  # it adds to `notes`
        yield from late_lines(self.penalties)
        yield from unsaid_lines(self.unsaid)
        yield from self.gradebook.notes
        yield from on_times

    def enter(self, wanted: bool) -> tuple[list[str], list[str]]:
        """If `wanted`, write into the gradebook the penalties that differ from what it has, and those
        of other assignments that have changed, as all share the late days. Return two lists of
        sentences: what was entered (or was not, though it differs), and one on each failure.
        """
        if self.gradebook is None or self.gradebook.due_dates is None:
            return [], []
        id = self.gradebook.assignment.id
        troubles = self.gradebook.enter_penalties(id, self.penalties) if wanted else []
        lines = [*entered_lines(self.penalties, wanted and not troubles)]
        elsewhere = self.gradebook.penalties_elsewhere() if wanted and not troubles else {}
        for other, changed in elsewhere.items():
            lines += [f"{other}, now that late days of {id} are known:", *late_lines(changed)]
            troubles += self.gradebook.enter_penalties(other, changed)
            lines += [] if troubles else entered_lines(changed, entered=True)
        return lines, troubles

    def _late_by_word(self, gradebook: GradebookSync, place: Path) -> dict[str, bool]:
        """Return, by student, whether the platform calls the student late; only students whose time
        of handing in is unknown.

        `place`: the folder of all submissions; {} if nothing was received there.
        """
        return {
            student: is_late
            for id, is_late in late_by_word(place, gradebook.assignment.id).items()
            for student in gradebook.groups.members(id)
            if student in self.lateness and not self.lateness[student].submitted
        }
