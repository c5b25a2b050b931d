"""Which of a student's submissions for an assignment counts, and why; the settings are in `late.py`.

Nothing is read or written here. Whoever enters points asks once for each student:

    which_counts(candidates, hand_in, rules.policy, rules.counts.get((student, assignment_id)), others)
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from autograder.engine.verdict import points_text
from autograder.gradebook.late import Lateness, judge
from autograder.gradebook.late_files import BEST, IN_TIME, NEWEST, Said
from autograder.gradebook.late_policy import HandIn, LatePolicy
from autograder.times import time_text

MINUTE = timedelta(minutes=1)  # staff need not write seconds
WHY = {IN_TIME: "the last in time", BEST: "the best after what being late costs"}


@dataclass(frozen=True)
class Candidate:
    """One submission of a student for one assignment."""

    submission: str  # its hash
    submitted: datetime | None  # UTC, without a zone; the newest one's as `late.csv` says
    points: float  # automatic
    is_newest: bool = False


@dataclass(frozen=True)
class Choice:
    """The submission that counts."""

    candidate: Candidate
    sentence: str  # for staff and the student; "" where the newest counts
    doubt: str = ""  # for staff: why the line in `counts.csv` cannot be followed


def which_counts(
    candidates: Iterable[Candidate],
    hand_in: HandIn,
    policy: LatePolicy,
    said: Said | None = None,
    others: Iterable[HandIn] = (),
    now: datetime | None = None,
) -> Choice:
    """Return which of the candidates counts, of which one is the newest.

    `hand_in` has the due date, the extension and the points of the assignment (its time is not
    looked at), `said` is the student's line in `counts.csv`, `others` is what counts of the student
    elsewhere and may have used late days. An earlier candidate without a time is never chosen.
    Raises `PolicyError`.
    """
    elsewhere = [one for one in others if one.assignment != hand_in.assignment]
    known = [one for one in candidates if one.submitted or one.is_newest]
    judged = {}  # the earliest first
    for one in sorted(known, key=lambda one: (one.submitted or datetime.max, one.is_newest)):
        handed_in = replace(hand_in, submitted=one.submitted)
        judged[one] = judge([handed_in, *elsewhere], policy, now)[hand_in.assignment]
    newest = next(one for one in judged if one.is_newest)
    rule = said.word if said and said.word else policy.counts
    by_rule = {
        NEWEST: [newest],
        IN_TIME: [one for one, lateness in judged.items() if not lateness.days],
        BEST: [max(judged, key=lambda one: round(one.points - judged[one].points, 2))],
    }
    chosen = [one for one in judged if said and _is_at(one, said.when)][:1]
    found = (chosen or by_rule[rule] or [newest])[-1]
    named = {one: _named(one, lateness, policy) for one, lateness in judged.items()}
    sentence = doubt = ""
    if found is not newest:
        why = "as staff chose" if chosen else WHY[rule]
        sentence = (
            f"The submission of {named[found]} counts, {why}, not the newest, of {named[newest]}."
        )
    if said and said.when and not chosen:
        doubt = (
            f"`counts.csv`, line {said.line}: no submission is of {time_text(said.when, policy.zone)}. "
            f"Write one of these times: {', '.join(named.values())}."
        )
    return Choice(found, sentence, doubt)


def _is_at(candidate: Candidate, when: datetime | None) -> bool:
    submitted = candidate.submitted
    return bool(when and submitted and timedelta(0) <= submitted - when < MINUTE)


def _named(candidate: Candidate, lateness: Lateness, policy: LatePolicy) -> str:
    when = time_text(candidate.submitted, policy.zone) if candidate.submitted else "unknown time"
    less = f" less {points_text(lateness.points)}" if lateness.points else ""
    return f"{when} ({points_text(candidate.points)}{less} points)"
