"""What a run has to enter into a gradebook. nbgrader, which takes a second to import, is not needed for it."""

from dataclasses import dataclass
from datetime import datetime

from autograder.engine.submission import Submission
from autograder.engine.verdict import Verdict
from autograder.people import Person


@dataclass(frozen=True)
class Record:
    """What goes into the gradebook for one student."""

    verdict: Verdict
    submission: Submission
    outputs: dict[str, list[dict]]
    submitted: datetime | None = None  # UTC, without a zone
    person: Person | None = None  # name and address, as the platform has them
    why: str = ""  # this submission counts, and not the newest
