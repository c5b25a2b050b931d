"""Who is late: what it costs and how that is calculated, as it is listed below a class's table."""

from collections.abc import Iterator, Mapping

from autograder.engine.verdict.verdict import points_text
from autograder.gradebook.late import Lateness, Penalty
from autograder.text.wording import plural


def late_cell(lateness: Lateness | None, unsaid: bool) -> str:
    """Return what being late costs, `-1.2`; "" where nobody is late.

    It is "?" for whom the platform calls late without saying when, and where the time is in doubt.
    """
    if lateness is None or not lateness.days:
        return "?" if unsaid or (lateness and lateness.doubt) else ""
    return f"-{points_text(lateness.points)}" if lateness.points else "0"


def late_days_cell(lateness: Lateness | None) -> str:
    """Return how many late days are left to whom a submission has cost some; else ""."""
    return str(lateness.late_days_left) if lateness and lateness.late_days_used else ""


def late_lines(penalties: Mapping[str, Penalty]) -> Iterator[str]:
    """Yield a line for each student who is late, or was until now, or whose time cannot be right."""
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
    """Yield how many of the penalties that were listed are new in the gradebook, or would be."""
    count = sum(not penalty.is_right for penalty in penalties.values())
    they_are = plural(count, "penalty is", "penalties are")
    if count and entered:
        yield f"{they_are} entered into the gradebook, as listed."
    elif count:
        yield f"{they_are} not entered: those that are in the gradebook stay as they are."


def unsaid_lines(students: list[str]) -> Iterator[str]:
    """Yield who is late by the platform's word alone, and what is to be done about it."""
    if students:
        yield (
            f"Late, as the platform says, which does not say when: {', '.join(students)}. "
            "No penalty before late.csv has their times."
        )
