"""Notes for staff on doubtful times of submission, before penalties are entered."""

from collections.abc import Collection, Iterator, Mapping
from datetime import datetime, timedelta

from autograder.engine import name_some, plural, texts
from autograder.gradebook.lateness.late import LateRules, Penalty

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
    """Yield a sentence for staff on each doubtful or missing time that may affect a penalty, and
    on lines of their files without a matching student or assignment.

    `by_platform`: times reported by platforms, by student. `by_word`: students marked as late by
    the platform without a time. `assignments`: ids of the course's assignments. `due_dates`: by
    assignment id, None if unreadable.
    """
    policy = rules.policy
    without_date = [id for id, due in (due_dates or {}).items() if due is None]
    other_ids = sorted({*without_date} - {assignment_id})
    timeless = {student for student, penalty in penalties.items() if not penalty.lateness.submitted}
    if note := without_due_date(rules, assignment_id, due_dates):
        yield note
    elif policy.costs and (timeless := timeless - {*by_word}):
        yield (
            f"No time of handing in is known of {name_some(sorted(timeless))}: no penalty. "
            "`late.csv` (student, assignment, submitted) can say it."
        )
    if policy.late_days and other_ids:
        yield f"No due date, so no late day used: {name_some(other_ids)}."
    yield from _overruled(rules, assignment_id, by_platform)
    yield from _overruled_extensions(rules, assignment_id, (due_dates or {}).get(assignment_id))
    yield from _lines_of_nobody(rules, assignment_id, by_platform, assignments)
    for name, lines in rules.files.items() if policy.timezone == "UTC" else []:
        if count := sum(not entry.has_zone for entry in lines.values()):
            yield (
                f"`{name}` names no zone in {plural(count, 'line')}: read as UTC, unless "
                "c.LatePolicy.timezone says another."
            )


def without_due_date(
    rules: LateRules, assignment_id: str, due_dates: Mapping[str, datetime | None] | None
) -> str:
    """Return the next step if the assignment needs a due date and has none, else ""."""
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
    """Yield a sentence for each student whose time in `late.csv` differs from the platform's."""
    zone = rules.policy.zone
    for student, submitted in sorted(by_platform.items()):
        entry = rules.times.get((student, assignment_id))
        if entry and entry.when and submitted and abs(entry.when - submitted) >= SAME:
            yield (
                f"{student}: `late.csv` says {texts.time_text(entry.when, zone)}, the platform "
                f"{texts.time_text(submitted, zone)}: `late.csv` counts."
            )


def _overruled_extensions(
    rules: LateRules, assignment_id: str, due: datetime | None
) -> Iterator[str]:
    """Yield a sentence for each line of `extensions.csv` that differs from the platform."""
    zone = rules.policy.zone
    for (student, assignment), granted in sorted(rules.by_platform.items()):
        entry = rules.extensions.get((student, assignment))
        if assignment != assignment_id or entry is None or entry.when is None:
            continue
        if (due is None or granted > due) and abs(entry.when - granted) >= SAME:
            yield (
                f"{student}: `extensions.csv` says {texts.time_text(entry.when, zone)}, the platform "
                f"{texts.time_text(granted, zone)}: `extensions.csv` counts."
            )


def _lines_of_nobody(
    rules: LateRules, assignment_id: str, students: Collection[str], assignments: Collection[str]
) -> Iterator[str]:
    """Yield a sentence for each line with an unknown assignment or without a submission."""
    for name, lines in rules.files.items():
        for (student, assignment), entry in lines.items():
            if assignment not in assignments:
                yield f"`{name}`, line {entry.line}: there is no assignment `{assignment}`."
            elif assignment == assignment_id and student not in students:
                yield f"`{name}`, line {entry.line}: nobody has handed in as `{student}`."
