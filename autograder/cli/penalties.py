"""What being late costs a class: shown with its table, and entered into the gradebook after that."""

from collections.abc import Iterable, Iterator
from pathlib import Path

from autograder.gradebook.enter import GradebookSync
from autograder.report.lateness import entered_lines, late_lines, unsaid_lines


class ClassPenalties:
    """The penalties of those who handed in, as they should be and as the gradebook has them."""

    def __init__(self, gradebook: GradebookSync, place: Path):
        self.gradebook = gradebook
        self.penalties = gradebook.penalties()
        self.lateness = {student: one.lateness for student, one in self.penalties.items()}
        self.by_word = self._late_by_word(place)
        self.unsaid = [student for student, is_late in self.by_word.items() if is_late]

    def reasons(self) -> Iterator[str]:
        """Yield a line for each student who is late, and for what else decides the penalties."""
        on_times = self.gradebook.notes_on_times(self.penalties, self.by_word)  # it adds to `notes`
        yield from late_lines(self.penalties)
        yield from unsaid_lines(self.unsaid)
        yield from self.gradebook.notes
        yield from on_times

    def enter(self, wanted: bool) -> tuple[list[str], list[str]]:
        """Enter them if that is wanted; return what was done, and a sentence on a failure."""
        if not self.penalties:
            return [], []
        troubles = self.gradebook.enter_penalties() if wanted else []
        return list(entered_lines(self.penalties, wanted and not troubles)), troubles

    def _late_by_word(self, place: Path) -> dict[str, bool]:
        """Who is late or in time by the platform's word, where nobody says when it was."""
        from autograder.collect.received import late_by_word

        try:
            said = late_by_word(place, self.gradebook.assignment.id)
        except OSError:  # nothing of it was received here
            return {}
        return {
            student: is_late
            for student, is_late in said.items()
            if student in self.lateness and not self.lateness[student].submitted
        }


def enter_again(entered: Iterable[ClassPenalties]) -> Iterator[str]:
    """Enter what assignments that were graded later change in those before; yield a line on each.

    Late days are the course's: a submission that was handed in earlier may be graded later.
    """
    for one in entered:
        rules = one.gradebook.rules
        if rules is None or not rules.policy.late_days:
            continue
        changed = {
            who: each for who, each in one.gradebook.penalties().items() if not each.is_right
        }
        if changed:
            yield f"{one.gradebook.assignment.id}, now that late days of other assignments are known:"
            yield from late_lines(changed)
            troubles = one.gradebook.enter_penalties()
            yield from troubles or entered_lines(changed, entered=True)
