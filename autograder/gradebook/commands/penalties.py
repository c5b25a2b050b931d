"""Print a class's late penalties, and enter them into the gradebook."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from autograder.classroom.newest_files import late_by_word
from autograder.gradebook.commands.late_lines import entered_lines, late_lines, unsaid_lines
from autograder.gradebook.lateness.late import Lateness

if TYPE_CHECKING:  # imports nbgrader, which not every run needs
    from autograder.gradebook.sync.choices import GradedClass
    from autograder.gradebook.sync.class_penalties import Penalties
    from autograder.gradebook.sync.enter import Entered


@dataclass(frozen=True)
class LateStudents:
    """The late submissions of one assignment. Empty without a gradebook."""

    lateness: dict[str, Lateness] = field(default_factory=dict)  # by student
    # marked as late by the platform, without a time
    unsaid: list[str] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)  # for the console


def late_students(
    graded: GradedClass, entered: Entered, penalties: Penalties, place: Path
) -> LateStudents:
    """Return the late students after verdicts were `entered`. Nothing is written."""
    from autograder.gradebook.sync.class_penalties import notes_on_penalties

    by_student = penalties.by_student
    by_word = {
        student: is_late
        for id, is_late in late_by_word(place, graded.assignment.id).items()
        for student in graded.groups.members(id)
        if student in by_student and not by_student[student].lateness.submitted
    }
    unsaid = [student for student, is_late in by_word.items() if is_late]
    lines = [*late_lines(by_student), *unsaid_lines(unsaid)]
    lines += notes_on_penalties(graded, entered, penalties, by_word)
    lateness = {student: penalty.lateness for student, penalty in by_student.items()}
    return LateStudents(lateness, unsaid, lines)


def enter_class_penalties(
    graded: GradedClass, penalties: Penalties, is_wanted: bool
) -> tuple[list[str], list[str]]:
    """If `is_wanted`, write changed penalties into the gradebook, also those of other assignments,
    because all assignments share the late days.

    Returns two lists of sentences: penalties that were entered or left out, and failures.
    """
    from autograder.gradebook.sync.class_penalties import enter_penalties, read_penalties_elsewhere

    if penalties.due_dates is None:
        return [], []
    id, by_student = graded.assignment.id, penalties.by_student
    troubles = enter_penalties(graded, id, by_student) if is_wanted else []
    is_entered = is_wanted and not troubles
    lines = [*entered_lines(by_student, is_entered)]
    elsewhere = read_penalties_elsewhere(graded) if is_entered else {}
    for other_id, changed_penalties in elsewhere.items():
        lines += [
            f"{other_id}, now that late days of {id} are known:",
            *late_lines(changed_penalties),
        ]
        troubles += enter_penalties(graded, other_id, changed_penalties)
        lines += [] if troubles else entered_lines(changed_penalties, entered=True)
    return lines, troubles
