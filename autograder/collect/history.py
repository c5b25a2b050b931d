"""What was received of one student, in the order in which it was handed in."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from autograder.collect.receipts import Receipt, newest_receipt
from autograder.collect.received import StudentFolders
from autograder.files import entries


@dataclass(frozen=True)
class Received:
    """One file that was received."""

    receipt: Receipt
    notebook: Path  # where it is kept
    counts: bool  # it is the one that is graded


def received(into: Path, assignment_id: str, student: str) -> list[Received]:
    """Return all that `collect` has kept in `into`, the oldest first. Raises `OSError`."""
    folders = StudentFolders(into, assignment_id, student)
    receipts = folders.receipts()
    if not receipts:
        return []
    newest = newest_receipt(receipts)
    found = [
        Received(receipt, notebook, receipt == newest)
        for receipt in receipts
        for notebook in _kept(folders, receipt)
    ]
    return sorted(found, key=lambda one: (one.receipt.submitted_at or "", one.receipt.order))


def _kept(folders: StudentFolders, receipt: Receipt) -> Iterator[Path]:
    """Where the receipt's file is: once, also where several folders are named after its hash."""
    for folder in entries(folders.received, folders.into):
        if f"-{receipt.sha256[:8]}" in folder.name and folder.name[0] != ".":
            yield folders.received / folder.name / receipt.file
            return
