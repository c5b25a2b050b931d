"""Unmatched submissions of an assignment, and their likely senders."""

from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from autograder.classroom.identify import Directory, UnknownSender
from autograder.classroom.roster import Person, sender_of


class UnmatchedSubmission(NamedTuple):
    """An unmatched submission: the reason, and its sender on the platform."""

    reason: str
    sender: Person


def unmatched_path(submitted: Path, assignment_id: str) -> Path:
    """Return the path of the table of unmatched submissions. It may not exist."""
    return submitted.parent / f"unmatched-{assignment_id}.csv"


def read_unmatched(submitted: Path, assignment_id: str) -> list[UnmatchedSubmission]:
    """Return the unmatched submissions. Raises `AutograderError` for unusable records."""
    from autograder.classroom.records.received import unmatched_of  # SQLAlchemy takes a moment

    return [
        UnmatchedSubmission(reason, sender_of(submission))
        for reason, submission in unmatched_of(submitted, assignment_id)
    ]


def senders(unmatched: Iterable[UnmatchedSubmission], people: Iterable[Person]) -> dict[str, str]:
    """Return likely senders of unmatched submissions among these people, with the reasons."""
    directory = Directory()
    for person in people:
        directory.add(person)
    reasons = {}
    for submission in unmatched:
        with suppress(UnknownSender):
            if student := directory.find(submission.sender, name_decides=True):
                reasons[student] = submission.reason
    return reasons
