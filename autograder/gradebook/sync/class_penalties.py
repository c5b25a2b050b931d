"""Late penalties of an assignment, by the late policy and in the gradebook."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from datetime import datetime

from sqlalchemy.exc import SQLAlchemyError

from autograder.engine import courses, texts
from autograder.gradebook.lateness.late import ClassLateness, Penalty
from autograder.gradebook.lateness.late_notes import notes_on_times
from autograder.gradebook.sync.choices import GradedClass, time_of_newest
from autograder.gradebook.sync.enter import LONGEST_ERROR, Entered
from autograder.gradebook.sync.entering import write_penalties
from autograder.gradebook.sync.marks import StudentMarks
from autograder.gradebook.sync.tables import lateness_in, marks_in


@dataclass(frozen=True)
class Penalties:
    """The penalties of one assignment, for students with a folder and marks in the gradebook.
    `due_dates`: by assignment, None if the gradebook was not read. `error`: the reason, or "".
    """

    by_student: dict[str, Penalty] = field(default_factory=dict)
    due_dates: Mapping[str, datetime | None] | None = None
    error: str = ""


def read_penalties(graded: GradedClass, entered: Entered) -> Penalties:
    """Return the penalties after verdicts were `entered`, empty while verdicts wait."""
    if entered.waiting:
        return Penalties()
    try:
        marks, late = graded.read_gradebook()
    except SQLAlchemyError as error:
        reason = texts.first_line(error, LONGEST_ERROR)
        return Penalties(error=f"Nobody's lateness can be read ({reason}). Grade again for that.")
    students = [student for student in graded.students if student in marks]
    return Penalties(_penalties(students, marks, late), late.due_dates)


def read_penalties_elsewhere(graded: GradedClass) -> dict[str, dict[str, Penalty]]:
    """Return the penalties of other assignments that differ from the gradebook's, by assignment
    and student. Late days are shared, so this assignment may have used or freed some.
    """
    rules, student_to_read = graded.rules, graded.student_to_read
    if not rules.policy.late_days:
        return {}
    changed = {}
    with graded.course.gradebook() as gradebook:
        ids = {assignment.name for assignment in gradebook.assignments}
        for id in sorted(ids - {graded.assignment.id}):
            marks = marks_in(gradebook.db, id, student_to_read)
            late = lateness_in(gradebook.db, rules, id, student_to_read)
            students = marks.keys() - rules.groups.of(id).by_id.keys()
            penalties = _penalties(students, marks, late)
            changed[id] = {
                student: penalty for student, penalty in penalties.items() if not penalty.is_right
            }
    return {id: penalties for id, penalties in changed.items() if penalties}


def _penalties(
    students: Collection[str], marks: Mapping[str, StudentMarks], late: ClassLateness
) -> dict[str, Penalty]:
    return {student: Penalty(late.judged[student], marks[student].penalty) for student in students}


def enter_penalties(
    graded: GradedClass, assignment_id: str, penalties: Mapping[str, Penalty]
) -> list[str]:
    """Write changed penalties (by student), and return [] or a sentence on the failure."""
    changed = {
        student: penalty.lateness for student, penalty in penalties.items() if not penalty.is_right
    }
    try:
        with graded.course.gradebook() as gradebook:
            write_penalties(gradebook.db, assignment_id, changed)
    except Exception as error:
        reason = texts.first_line(error, LONGEST_ERROR)
        return [f"The gradebook did not take the penalties ({reason}). Grade again to enter them."]
    return []


def notes_on_penalties(
    graded: GradedClass, entered: Entered, penalties: Penalties, by_word: Collection[str]
) -> list[str]:
    """Return sentences for staff on entered verdicts, and on doubtful times and due dates behind
    these penalties. `by_word`: students marked as late or in time by the platform without a time.
    """
    notes = [*entered.notes, *filter(None, [penalties.error])]
    times = dict.fromkeys(graded.folders) | entered.times
    for student in graded.students:
        if student not in entered.times:
            stored = graded.groups.of(student) or student
            times[student] = time_of_newest(graded, stored, notes)
    ids = {assignment.id for assignment in courses.every(graded.assignment.course)}
    on_times = notes_on_times(
        graded.rules,
        graded.assignment.id,
        penalties.by_student,
        times,
        by_word,
        ids,
        penalties.due_dates,
    )
    return notes + list(on_times)
