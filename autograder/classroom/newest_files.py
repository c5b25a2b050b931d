"""Facts from a platform on received submissions, for uploads back to it."""

from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import func, nulls_first, select

from autograder.classroom.records.database import read_rows
from autograder.classroom.records.received import Owner, Placement, Submission


@dataclass(frozen=True)
class ReceivedFile:
    """A student's newest file from one platform, with its path in the download."""

    number: str  # the platform's number of the person or of the submission
    path: str  # folders and name
    upload: int | None = None  # counts up with each file that the platform receives
    team: str = ""  # name of the team on the platform, if a team submitted
    team_number: str = ""
    submission: str = ""  # the platform's number of the submission

    @property
    def name(self) -> str:
        return self.path.rsplit("/", 1)[-1]


def newest_files(submitted: Path, assignment_id: str, platform: str) -> dict[str, ReceivedFile]:
    """Return the newest submission from this platform, by student or group. `submitted`: the
    folder of all submissions. Raises `AutograderError` if the records are unusable.
    """
    query = (
        select(Owner, Submission)
        .join(Submission, Owner.submission_id == Submission.id)
        .where(Owner.assignment == assignment_id, Submission.platform == platform)
        .order_by(
            Owner.team != "",  # staff may have assigned another team's file
            nulls_first(Owner.submitted_at),
            func.coalesce(Submission.upload, 0),
            Submission.id,
        )
    )
    return {
        owner.student: ReceivedFile(
            "" if owner.team else submission.number,
            submission.notebook_file or submission.label,
            submission.upload,
            owner.team,
            # Moodle's zip does not say whether a number is a person's or a team's
            submission.team_number or (submission.number if owner.team else ""),
            submission.platform_number,
        )
        for owner, submission in read_rows(submitted, query)
    }


def late_by_word(submitted: Path, assignment_id: str) -> dict[str, bool]:
    """Return whether submissions without a time are late. Raises `AutograderError`."""
    query = select(Placement.student, Placement.is_late).where(
        Placement.assignment == assignment_id,
        Placement.is_late.is_not(None),
        Placement.submitted_at.is_(None),
    )
    return dict(read_rows(submitted, query))
