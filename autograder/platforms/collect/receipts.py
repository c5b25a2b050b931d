"""`Receipt`, the record of one received notebook; and the rule which of a student's receipts is
graded.
"""

import unicodedata
from datetime import datetime
from functools import reduce

from msgspec import UNSET, Struct, UnsetType

from autograder.platforms.collect.times import NO_FILE_TIME
from autograder.platforms.download import MODIFICATION_TIME
from autograder.text.patterns import Pattern
from autograder.text.times import parse_time

LONGEST_NAME = 100  # characters of a file name
RESERVED = Pattern(r"(?i)(con|prn|aux|nul|com\d|lpt\d)(\..*)?")  # by Windows
SHA256 = Pattern(r"[0-9a-f]{64}")
UNSAFE = Pattern(r"[^A-Za-z0-9 ._()+-]")  # in a file's name
BY_HAND = "put there by hand"


class Receipt(Struct, tag="receipt", frozen=True, kw_only=True):
    """What is known about one received notebook: who sent it, when, and where it is kept.

    Raises `ValueError` if a field has no valid value, as after editing the file by hand.
    """

    student: str  # or a group
    sender: str | UnsetType = UNSET  # the member of the group, where that is known
    platform: str
    number: str = ""
    name: str = ""
    email: str = ""
    submitted_at: str | None  # in UTC, as in timestamp.txt
    time_from: str
    clock: str | None  # the download's own words for it, where they name no zone
    late: bool | None = None  # where the platform says that
    upload: int | None = None  # counts up with each file that the platform received
    sha256: str  # of the notebook
    bytes: int
    file: str  # the notebook's name among the files that are kept
    download: str
    member: str
    inside: str = ""  # where in a zip that was handed in
    collected_at: str
    order: int  # in which this student's files were collected

    def __post_init__(self) -> None:
        named = SHA256.fullmatch(self.sha256) and self.file == safe_name(self.file)
        timed = self.submitted_at is None or parse_time(self.submitted_at)
        if not (named and timed and datetime.fromisoformat(self.collected_at).tzinfo):
            raise ValueError("this is no receipt")


def newest_receipt(receipts: list[Receipt]) -> Receipt:
    """Return the receipt to grade among those of one student, of which there is at least one: the
    newest by time of submission; if times are missing or equal, by upload number; if that does not
    decide, the one that was collected last.
    """
    return reduce(lambda best, one: one if _newer(one, best) else best, _corrected(receipts))


def _corrected(receipts: list[Receipt]) -> list[Receipt]:
    """Return the receipts without duplicates: of those on the same file, only the last is kept.

    Two receipts are on the same file if they have the same content, and either the same time in the
    download's own words (whatever zone it was read in), or both only the file's time of
    modification.
    """
    last = {
        (one.sha256, "file" if _has_file_time(one) else one.clock or one.order): one
        for one in receipts
    }
    return list(last.values())


def _has_file_time(receipt: Receipt) -> bool:
    """Whether the only time known for this receipt is the file's own time of modification."""
    return receipt.time_from in (MODIFICATION_TIME, NO_FILE_TIME) and receipt.clock is None


def _newer(one: Receipt, other: Receipt) -> bool:
    times = [each.submitted_at or _changed_by_hand(each) for each in (one, other)]
    if all(times) and times[0] != times[1]:
        return times[0] > times[1]
    counted = one.upload is not None and other.upload is not None
    if counted and one.platform == other.platform and one.upload != other.upload:
        return (one.upload or 0) > (other.upload or 0)
    return one.order > other.order


def _changed_by_hand(receipt: Receipt) -> str:
    """Return the modification time of a file that somebody put into the folder by hand; "" for any
    other. It is for comparisons only.
    """
    return receipt.clock or "" if receipt.time_from == BY_HAND else ""


def is_known(receipt: Receipt, before: list[Receipt]) -> bool:
    """Whether a receipt is a duplicate of one in `before`: the same content with the same time of
    submission and the same upload number.

    A receipt of which only the file's time of modification is known is also a duplicate if the
    newest one in `before` has the same content; but not if both have only such a time, and only one
    of the two counts it as the time of submission.
    """
    same = [one for one in _corrected(before) if one.sha256 == receipt.sha256]
    if any(
        (one.submitted_at, one.upload) == (receipt.submitted_at, receipt.upload) for one in same
    ):
        return True
    if not same or not _has_file_time(receipt):
        return False
    newest = newest_receipt(before)
    return newest in same and (
        not _has_file_time(newest) or bool(newest.submitted_at) == bool(receipt.submitted_at)
    )


def safe_name(name: str) -> str:
    """Return a file name as close to `name` as possible that every file system accepts."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
    plain = UNSAFE.sub("_", plain).strip(" .")
    stem, dot, suffix = plain.rpartition(".")
    if dot:
        plain = stem[: LONGEST_NAME - len(suffix[:10]) - 1].rstrip(" .") + "." + suffix[:10]
    plain = plain[:LONGEST_NAME] or "unnamed"
    return f"_{plain}" if RESERVED.fullmatch(plain) or plain[0] == "." else plain
