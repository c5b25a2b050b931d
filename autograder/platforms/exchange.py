"""Read nbgrader's own folders: the inbound folder of its exchange, a course's submitted folder.

inbound/ada+sheet-3+2026-11-20 15:00:00.123456 UTC+a1b2/sheet-3.ipynb
submitted/ada/sheet-3/sheet-3.ipynb        with nbgrader's timestamp.txt beside it
"""

import os
import sys
from collections.abc import Collection, Sequence
from contextlib import suppress

from autograder.engine import Pattern, courses, files, printable, texts
from autograder.platforms.download import File, FileRefused
from autograder.platforms.folder import person_called
from autograder.platforms.platform import (
    ANY,
    Contents,
    HandedIn,
    Item,
    Known,
    Layout,
    Platform,
    lefts,
)

PLATFORM = "exchange"
SUBMITTED_FOLDER = "submitted"  # contains a folder for each student
UNREAD_TIME = "nobody: what nbgrader's exchange says is no time"
NO_TIME = "belongs to nobody: nbgrader writes another time into the folder's name"
INBOUND = Pattern(
    r"(?s)(?P<user>.+)\+(?P<assignment>[^+]+)\+(?P<time>\d{4}-\d\d-\d\d[^+]*)(?P<rest>\+.*)?"
)
# without a time, and so not made by nbgrader
BY_HAND = Pattern(r"(?s)(?P<user>.+)\+(?P<assignment>[^+]+)")


def name_parts(folder: str) -> dict[str, str] | None:
    """Return the user and assignment in the name of a folder in the exchange, or None."""
    match = INBOUND.fullmatch(folder) or BY_HAND.fullmatch(folder)
    return match.groupdict() if match else None


def _sort_by_student(items: list[Item], assignment_id: str, facts: Known) -> Contents:
    """Return a submission for each inbound folder of this assignment. Folders of other assignments
    are ignored.

    If some folders have a time, the others belong to nobody, because nbgrader writes all names in
    the same form.
    """
    folders = [item for item in items if item.said["assignment"] == assignment_id]
    timed = [item for item in folders if texts.parse_time(item.said["time"])]
    contents = Contents(
        [
            _submission(item.said["user"], item.said["time"], item.name, item.files)
            for item in timed or folders
        ]
    )
    for item in folders if timed else ():
        if item not in timed:
            contents.without_student.extend(lefts(item.name, item.files, NO_TIME))
    return contents


def _is_submitted(items: list[Item], around: str, assignment_id: str) -> bool:
    """Whether the items are the content of a course's submitted folder: its name is `submitted`
    (`around`), or each folder among them contains folders, as a student's does, and at least one
    contains a file of the assignment.
    """
    students = [item.below for item in items if item.is_folder]
    inside = [
        inner
        for below in students
        for item in below
        for inner in item.below
        if item.name == assignment_id
    ]
    has_file = any(not item.is_folder for item in inside)
    has_folders = all(any(item.is_folder for item in below) for below in students)
    return around == SUBMITTED_FOLDER or (has_file and has_folders)


def _sort_submitted(items: list[Item], assignment_id: str, facts: Known) -> Contents:
    """Return a submission for each student: the files in the student's folder for the assignment.

    Without such files, take those directly in the student's folder, and those elsewhere with the
    assignment's name. A note lists students without any.
    """
    contents, without = Contents([]), []
    for student in items:
        pairs = [(item, file) for item in student.below for file in item.files]
        files = [file for item, file in pairs if item.name == assignment_id] or [
            file
            for item, file in pairs
            if not item.is_folder or courses.in_name(file.name, [assignment_id])
        ]
        if files:
            label = f"{student.name}/{assignment_id}"
            contents.handed_in.append(_submission(student.name, "", label, files))
        else:
            without.append(printable(student.name))
    note = f"Nothing of `{assignment_id}` is in the folders of {{}}."
    contents.notes.extend(texts.sentence_on(without, note))
    return contents


def is_of_another(parts: Sequence[str], owner: int) -> bool:
    """Whether a file in the inbound folder belongs to another user of this machine than the user in
    its folder's name.

    `parts`: the file's path. `owner`: user number of the file's owner. Return False if the owner is
    root or the current user, if neither the owner nor the named user has an account here, outside
    an inbound folder, and on Windows.
    """
    inbound = next(filter(None, map(INBOUND.fullmatch, parts[:-1])), None)
    match = inbound or next(filter(None, map(BY_HAND.fullmatch, parts[:-1])), None)
    if match is None or sys.platform == "win32" or owner in (0, os.geteuid()):
        return False
    import pwd  # which Windows does not have

    with suppress(KeyError):  # without an account, the owner may choose any name
        if inbound:
            return pwd.getpwuid(owner).pw_name != inbound["user"]
    with suppress(KeyError):
        return pwd.getpwnam(match["user"]).pw_uid != owner
    return False


def is_for_another(path: str, assignment_id: str, other_ids: Collection[str]) -> bool:
    """Whether a path in a download leads into an inbound folder of another assignment. `other_ids`:
    ids of the course's other assignments. A folder without a time must name such an id.
    """
    names = path.split("/")
    inbound_matches = filter(None, map(INBOUND.fullmatch, names))
    by_hand_matches = filter(None, map(BY_HAND.fullmatch, names))
    return any(match["assignment"] != assignment_id for match in inbound_matches) or any(
        match["assignment"] in other_ids for match in by_hand_matches
    )


def _submission(user: str, time: str, label: str, submitted: list[File]) -> HandedIn:
    text = time or _timestamp(submitted)
    submitted_at = texts.parse_time(text)
    is_unreadable = bool(text) and submitted_at is None
    return HandedIn(
        person=person_called(user, PLATFORM),
        label=label,
        files=tuple(file for file in submitted if file.name != files.TIMESTAMP),
        submitted_at=submitted_at,
        time_from=UNREAD_TIME if is_unreadable else "nbgrader's exchange",
        timeless=is_unreadable,
    )


def _timestamp(submitted: list[File]) -> str:
    # deeper files are the student's own
    top = min((len(file.parts) for file in submitted), default=0)
    for file in submitted:
        if file.name == files.TIMESTAMP and len(file.parts) == top:
            with suppress(FileRefused):
                return file.read()[: files.MAX_TIMESTAMP].decode("ascii", "replace")
    return ""


RECORD = Platform(
    PLATFORM,
    (
        Layout(INBOUND, _sort_by_student),
        Layout(ANY, _sort_submitted, _is_submitted, certainty=1),
    ),
    manual=(
        "nbgrader's exchange",
        "its folder `inbound`",
        "its folders' names",
    ),
)
