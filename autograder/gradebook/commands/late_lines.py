"""Show late penalties: as cells of the class table, and as lines below it."""

from collections.abc import Iterator, Mapping

from autograder.engine import plural, points_text
from autograder.gradebook.lateness.late import Lateness, Penalty


def late_cell(lateness: Lateness | None, unsaid: bool) -> str:
    """Return a late penalty as a cell: `-1.2`, "0" if lateness is free, "" if the submission is in
    time. "?" marks a submission that may be late: its time is doubtful or, with `unsaid`, unknown.

    `unsaid`: the platform marks the submission as late without a time.
    """
    if lateness is None or not lateness.days:
        return "?" if unsaid or (lateness and lateness.doubt) else ""
    return f"-{points_text(lateness.points)}" if lateness.points else "0"


def late_days_cell(lateness: Lateness | None) -> str:
    """Return the number of free late days left, as a cell. "" if this submission used none."""
    return str(lateness.late_days_left) if lateness and lateness.late_days_used else ""


def late_lines(penalties: Mapping[str, Penalty]) -> Iterator[str]:
    """Yield lines on late submissions, doubtful times, and penalties to remove."""
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
    """Yield a line on penalties that differ from the gradebook, or were `entered` into it."""
    count = sum(not penalty.is_right for penalty in penalties.values())
    they_are = plural(count, "penalty is", "penalties are")
    if count and entered:
        yield f"{they_are} entered into the gradebook, as listed."
    elif count:
        yield f"{they_are} not entered: those that are in the gradebook stay as they are."


def unsaid_lines(students: list[str]) -> Iterator[str]:
    """Yield a line on students marked as late by the platform without a time."""
    if students:
        yield (
            f"Late, as the platform says, which does not say when: {', '.join(students)}. "
            "No penalty before late.csv has their times."
        )
