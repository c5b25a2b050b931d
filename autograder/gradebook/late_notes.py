"""Sentences for staff on doubtful times, before penalties are entered."""

from collections.abc import Collection, Iterator, Mapping
from datetime import datetime, timedelta

from autograder.gradebook.late import LateRules, Penalty
from autograder.text.times import time_text
from autograder.text.wording import name_some, plural

SAME = timedelta(minutes=1)


def notes_on_times(
    rules: LateRules,
    assignment_id: str,
    penalties: Mapping[str, Penalty],
    by_platform: Mapping[str, datetime | None],
    by_word: Collection[str],
    assignments: Collection[str],
    due_dates: Mapping[str, datetime | None] | None,
) -> Iterator[str]:
    """Yield a sentence on each thing that decides a penalty, or keeps one from being decided.

    `by_platform` has the platforms' times of all who handed in; of those in `by_word` it says
    nothing but whether they are late; `assignments` are the course's; `due_dates` are those of
    `ClassLateness`, None where they cannot be read.
    """
    policy = rules.policy
    missing = [id for id, due in (due_dates or {}).items() if due is None]
    others = sorted({*missing} - {assignment_id})
    timeless = {student for student, one in penalties.items() if not one.lateness.submitted}
    if note := without_due_date(rules, assignment_id, due_dates):
        yield note
    elif policy.costs and (timeless := timeless - {*by_word}):
        yield (
            f"No time of handing in is known of {name_some(sorted(timeless))}: no penalty. "
            "`late.csv` (student, assignment, submitted) can say it."
        )
    if policy.late_days and others:
        yield f"No due date, so no late day used: {name_some(others)}."
    yield from _overruled(rules, assignment_id, by_platform)
    yield from _lines_of_nobody(rules, assignment_id, by_platform, assignments)
    for name, lines in rules.files.items() if policy.timezone == "UTC" else []:
        if count := sum(not said.has_zone for said in lines.values()):
            yield (
                f"`{name}` names no zone in {plural(count, 'line')}: read as UTC, unless "
                "c.LatePolicy.timezone says another."
            )


def without_due_date(
    rules: LateRules, assignment_id: str, due_dates: Mapping[str, datetime | None] | None
) -> str:
    """Return what to do where a due date is needed and missing; else "". See `notes_on_times`."""
    has_one = due_dates is None or due_dates.get(assignment_id)
    if has_one or not rules.needs_due_date(assignment_id):
        return ""
    return (
        f"`{assignment_id}` has no due date, so nobody is late: enter one in formgrader, or with "
        f'`nbgrader db assignment add {assignment_id} --duedate="2026-11-30 18:00 CET"`.'
    )


def _overruled(
    rules: LateRules, assignment_id: str, by_platform: Mapping[str, datetime | None]
) -> Iterator[str]:
    """Yield the students whose time in the file differs from the platform's."""
    zone = rules.policy.zone
    for student, when in sorted(by_platform.items()):
        said = rules.times.get((student, assignment_id))
        if said and said.when and when and abs(said.when - when) >= SAME:
            yield (
                f"{student}: `late.csv` says {time_text(said.when, zone)}, the platform "
                f"{time_text(when, zone)}: `late.csv` counts."
            )


def _lines_of_nobody(
    rules: LateRules, assignment_id: str, students: Collection[str], assignments: Collection[str]
) -> Iterator[str]:
    """Yield the lines of the files that name nobody who handed in, or no assignment."""
    for name, lines in rules.files.items():
        for (student, assignment), said in lines.items():
            if assignment not in assignments:
                yield f"`{name}`, line {said.line}: there is no assignment `{assignment}`."
            elif assignment == assignment_id and student not in students:
                yield (
                    f"`{name}`, line {said.line}: {student} has handed in nothing. Is that the id?"
                )
