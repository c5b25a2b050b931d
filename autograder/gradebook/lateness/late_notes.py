"""Make sentences for staff on doubtful times of handing in, before penalties are entered."""

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
    """Yield a sentence for staff on each doubtful or missing time or date on which a penalty may
    depend, and on lines of their files that are about nobody.

    `penalties`: by student; `by_platform`: the times that platforms gave of all students who handed
    in; `by_word`: the students of whom the platform only says whether they are late; `assignments`:
    the ids of the course's assignments; `due_dates`: by assignment id, None if they cannot be read.
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
    yield from _overruled_extensions(rules, assignment_id, (due_dates or {}).get(assignment_id))
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
    """Return a sentence on what to do if the assignment needs a due date and has none; else "".

    `due_dates`: by assignment id, None if they cannot be read.
    """
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
    """Yield a sentence for each student whose time in `late.csv` differs from the platform's.
    `by_platform`: the platform's times, by student.
    """
    zone = rules.policy.zone
    for student, when in sorted(by_platform.items()):
        said = rules.times.get((student, assignment_id))
        if said and said.when and when and abs(said.when - when) >= SAME:
            yield (
                f"{student}: `late.csv` says {texts.time_text(said.when, zone)}, the platform "
                f"{texts.time_text(when, zone)}: `late.csv` counts."
            )


def _overruled_extensions(
    rules: LateRules, assignment_id: str, due: datetime | None
) -> Iterator[str]:
    """Yield a sentence for each student whose time in `extensions.csv` differs from the extension,
    or the own due date, that the platform granted.
    """
    zone = rules.policy.zone
    for (student, assignment), granted in sorted(rules.by_platform.items()):
        said = rules.extensions.get((student, assignment))
        if assignment != assignment_id or said is None or said.when is None:
            continue
        if (due is None or granted > due) and abs(said.when - granted) >= SAME:
            yield (
                f"{student}: `extensions.csv` says {texts.time_text(said.when, zone)}, the platform "
                f"{texts.time_text(granted, zone)}: `extensions.csv` counts."
            )


def _lines_of_nobody(
    rules: LateRules, assignment_id: str, students: Collection[str], assignments: Collection[str]
) -> Iterator[str]:
    """Yield a sentence for each line of the staff's files whose assignment does not exist, or whose
    student has handed in nothing.

    `students`: those who handed in; `assignments`: the ids of the course's assignments.
    """
    for name, lines in rules.files.items():
        for (student, assignment), said in lines.items():
            if assignment not in assignments:
                yield f"`{name}`, line {said.line}: there is no assignment `{assignment}`."
            elif assignment == assignment_id and student not in students:
                yield f"`{name}`, line {said.line}: nobody has handed in as `{student}`."
