"""What a platform knows of the submissions that `collect` received, for what goes back to it."""

from pathlib import Path

from sqlalchemy import select

from autograder.classroom.records.database import open_records
from autograder.classroom.records.received import Owner, Submission, placements_of
from autograder.platforms.platform import ReceivedFile


def newest_files(submitted: Path, assignment_id: str, platform: str) -> dict[str, ReceivedFile]:
    """Return the newest submission that was received from this platform, by student or group.

    `submitted`: the folder of submissions. Raises `CommandError` if the records cannot be used.
    """
    query = (
        select(Owner, Submission)
        .join(Submission, Owner.submission_id == Submission.id)
        .where(Owner.assignment == assignment_id, Submission.platform == platform)
    )
    with open_records(submitted) as records:
        rows = [(owner, submission) for owner, submission in records.execute(query)]
    rows.sort(key=lambda row: (str(row[0].submitted_at or ""), row[1].upload or 0, row[1].id))
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
        for owner, submission in rows
    }


def late_by_word(submitted: Path, assignment_id: str) -> dict[str, bool]:
    """Return whether what is graded is late, by student or group: only of those of whom the platform
    says this, but no time. Raises `CommandError` if the records cannot be used.
    """
    return {
        student: placement.is_late
        for student, (placement, _) in placements_of(submitted, assignment_id).items()
        if placement.is_late is not None and placement.submitted_at is None
    }
