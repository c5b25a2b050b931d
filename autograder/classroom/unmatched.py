"""The submissions of an assignment that match no student yet, and who seems to have sent them."""

from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from autograder.classroom.identify import Directory, UnknownSender
from autograder.classroom.roster import Person, sender_of


class UnmatchedSubmission(NamedTuple):
    """An unmatched submission: why, and its sender, as far as the platform names one."""

    reason: str
    sender: Person


def unmatched_path(submitted: Path, assignment_id: str) -> Path:
    """Return the path of the table of what is unmatched of an assignment. It may not exist."""
    return submitted.parent / f"unmatched-{assignment_id}.csv"


def read_unmatched(submitted: Path, assignment_id: str) -> list[UnmatchedSubmission]:
    """Return the submissions of an assignment that are unmatched. `submitted`: the folder of
    submissions. Raises `AutograderError` if the records cannot be used.
    """
    from autograder.classroom.records.received import unmatched_of  # SQLAlchemy takes a moment

    return [
        UnmatchedSubmission(reason, sender_of(submission))
        for reason, submission in unmatched_of(submitted, assignment_id)
    ]


def senders(unmatched: Iterable[UnmatchedSubmission], people: Iterable[Person]) -> dict[str, str]:
    """Return those of these people who seem to have sent an unmatched submission, by id, with the
    reason why it is unmatched.
    """
    directory = Directory()
    for person in people:
        directory.add(person)
    found = {}
    for submission in unmatched:
        with suppress(UnknownSender):
            if student := directory.find(submission.sender, name_decides=True):
                found[student] = submission.reason
    return found
