"""Show late penalties: as cells of the class table, and as lines below it."""

from collections.abc import Iterator, Mapping

from autograder.engine import plural, points_text
from autograder.gradebook.lateness.late import Lateness, Penalty


def late_cell(lateness: Lateness | None, unsaid: bool) -> str:
    """Return a late penalty as a cell: `-1.2`; "0" if being late costs nothing, "" if the
    submission is in time, "?" if it is not known whether it is late: if its time is doubtful, or
    with `unsaid`.

    `lateness`: None if none is known; `unsaid`: whether the platform marks the submission as late
    without telling the time.
    """
    if lateness is None or not lateness.days:
        return "?" if unsaid or (lateness and lateness.doubt) else ""
    return f"-{points_text(lateness.points)}" if lateness.points else "0"


def late_days_cell(lateness: Lateness | None) -> str:
    """Return how many free late days a student has left, as a cell; "" if this submission used
    none.
    """
    return str(lateness.late_days_left) if lateness and lateness.late_days_used else ""


def late_lines(penalties: Mapping[str, Penalty]) -> Iterator[str]:
    """Yield lines for each student who is late, whose penalty in the gradebook has to be removed,
    or whose time of submission is doubtful.

    `penalties` are by student.
    """
    for student, penalty in sorted(penalties.items()):
        lateness, entered = penalty.lateness, penalty.entered
        if lateness.sentence:
            so_far = f" So far: {points_text(entered)}." if entered and not penalty.is_right else ""
            yield f"{student}: {lateness.sentence}{so_far}"
        elif entered:
            yield f"{student}: no points less. So far: {points_text(entered)}."
        if lateness.doubt:
            yield f"{student}: {lateness.doubt}"


def entered_lines(penalties: Mapping[str, Penalty], entered: bool) -> Iterator[str]:
    """Yield a line on how many penalties differ from the gradebook. `entered` says whether they are
    now written into it.

    `penalties` are by student. Without a difference, yield nothing.
    """
    count = sum(not penalty.is_right for penalty in penalties.values())
    they_are = plural(count, "penalty is", "penalties are")
    if count and entered:
        yield f"{they_are} entered into the gradebook, as listed."
    elif count:
        yield f"{they_are} not entered: those that are in the gradebook stay as they are."


def unsaid_lines(students: list[str]) -> Iterator[str]:
    """Yield a line on the students whom the platform marks as late without telling the time, and
    what to do; nothing if there are none.
    """
    if students:
        yield (
            f"Late, as the platform says, which does not say when: {', '.join(students)}. "
            "No penalty before late.csv has their times."
        )
