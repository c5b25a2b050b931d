"""What staff should know of a class's times before penalties are entered."""

from collections.abc import Collection, Iterator, Mapping
from datetime import datetime, timedelta

from autograder.gradebook.late import LateRules, Penalty
from autograder.times import time_text
from autograder.wording import name_some, plural

SAME = timedelta(minutes=1)


def notes_on_times(
    rules: LateRules,
    assignment_id: str,
    penalties: Mapping[str, Penalty],
    by_platform: Mapping[str, datetime | None],
    by_word: Collection[str],
    assignments: Collection[str],
) -> Iterator[str]:
    """Yield a sentence on each thing that decides a penalty, or keeps one from being decided.

    `by_platform` has the platforms' times of all who handed in; of those in `by_word` it says
    nothing but whether they are late; `assignments` are the course's.
    """
    policy = rules.policy
    late = [penalty.lateness for penalty in penalties.values()]
    if policy.costs and late and all(one.due is None for one in late):
        yield (
            f"`{assignment_id}` has no due date, so nobody is late: enter one in formgrader, or with "
            f'`nbgrader db assignment add {assignment_id} --duedate="2026-11-30 18:00 CET"`.'
        )
    elif policy.costs:
        timeless = {student for student, one in penalties.items() if not one.lateness.submitted}
        timeless -= {*by_word}
        if timeless:
            yield (
                f"No time of handing in is known of {name_some(sorted(timeless))}: no penalty. "
                f"`{policy.times}` (student, assignment, submitted) can say it."
            )
    yield from _overruled(rules, assignment_id, by_platform)
    yield from _lines_of_nobody(rules, assignment_id, by_platform, assignments)
    if policy.timezone == "UTC":
        for name, lines in rules.lines_without_zone().items():
            yield (
                f"`{name}` names no zone in {plural(len(lines), 'line')}: read as UTC, unless "
                "c.LatePolicy.timezone says another."
            )


def _overruled(
    rules: LateRules, assignment_id: str, by_platform: Mapping[str, datetime | None]
) -> Iterator[str]:
    """Whose time the file gives, although the platform has another."""
    zone = rules.policy.zone
    for student, when in sorted(by_platform.items()):
        said = rules.times.get((student, assignment_id))
        if said and said.when and when and abs(said.when - when) >= SAME:
            yield (
                f"{student}: `{rules.policy.times}` says {time_text(said.when, zone)}, the platform "
                f"{time_text(when, zone)}: `{rules.policy.times}` counts."
            )


def _lines_of_nobody(
    rules: LateRules, assignment_id: str, students: Collection[str], assignments: Collection[str]
) -> Iterator[str]:
    """Which lines of the two files are about nobody who handed in, and about no assignment."""
    files = {rules.policy.times: rules.times, rules.policy.extensions: rules.extensions}
    for name, lines in files.items():
        for (student, assignment), said in lines.items():
            if assignment not in assignments:
                yield f"`{name}`, line {said.line}: there is no assignment `{assignment}`."
            elif assignment == assignment_id and student not in students:
                yield (
                    f"`{name}`, line {said.line}: {student} has handed in nothing. Is that the id?"
                )
