"""What a platform called the files that were collected, for those who give something back."""

from pathlib import Path

from autograder.collect.receipts import newest_receipt
from autograder.collect.received import StudentFolders
from autograder.files import entries
from autograder.people import RECEIVED, is_student_id
from autograder.platforms.as_received import ReceivedFile


def newest_files(into: Path, assignment_id: str, platform: str) -> dict[str, ReceivedFile]:
    """Return each student's newest file from this platform, by student; {} where none was collected.

    What was received from other platforms, or put there by hand, is passed over. Raises `OSError`.
    """
    try:
        there = entries(into / RECEIVED / assignment_id, into)
    except (FileNotFoundError, NotADirectoryError):
        return {}
    students = [one.name for one in there if one.kind == "folder" and is_student_id(one.name)]
    found = {student: _newest(into, assignment_id, student, platform) for student in students}
    return {student: file for student, file in found.items() if file}


def _newest(into: Path, assignment_id: str, student: str, platform: str) -> ReceivedFile | None:
    receipts = StudentFolders(into, assignment_id, student).receipts()
    ours = [receipt for receipt in receipts if receipt.platform == platform]
    if not ours:
        return None
    receipt = newest_receipt(ours)
    return ReceivedFile(receipt.number, receipt.member, receipt.upload)
