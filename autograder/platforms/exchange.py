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
SUBMITTED_FOLDER = "submitted"  # in which each student has a folder
UNREAD_TIME = "nobody: what nbgrader's exchange says is no time"
NO_TIME = "belongs to nobody: nbgrader writes another time into the folder's name"
INBOUND = Pattern(
    r"(?s)(?P<user>.+)\+(?P<assignment>[^+]+)\+(?P<time>\d{4}-\d\d-\d\d[^+]*)(?P<rest>\+.*)?"
)
BY_HAND = Pattern(r"(?s)(?P<user>.+)\+(?P<assignment>[^+]+)")  # without a time: nbgrader makes none


def name_parts(folder: str) -> dict[str, str] | None:
    """Return the parts `user` and `assignment` of the name of a folder in the exchange; None if it
    has no such name.
    """
    found = INBOUND.fullmatch(folder) or BY_HAND.fullmatch(folder)
    return found.groupdict() if found else None


def _sort_by_student(items: list[Item], assignment_id: str, known: Known) -> Contents:
    """Return one submission for each inbound folder of this assignment; folders of other
    assignments are ignored. `items`: the folders whose names nbgrader's exchange wrote. `known` is
    not used.

    Where some have a time, a folder without one is nobody's: nbgrader writes all in one form.
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
    """Whether these items are the content of a course's submitted folder. `around` is the name of
    the folder that holds the items.

    They are if that name is `submitted`; or if each folder among the items, as a student's, holds
    folders, and some student's folder for the assignment has a file in it.
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


def _sort_submitted(items: list[Item], assignment_id: str, known: Known) -> Contents:
    """Return one submission for each student: the files in the student's folder for the assignment.
    `items`: the students' folders; `known` is not used.

    If a student has none there, the files directly in the student's folder are taken, and any in
    other folders whose name contains the assignment's. Students without such files, too, are named
    in a note.
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
    """Whether a file in the exchange's inbound folder belongs to another user of this machine than
    the one named by its folder.

    `parts`: the file's path. `owner`: the user number of the file's owner. False if the owner is
    root or the user who runs this program, if neither the owner nor the named user has an account
    here, outside an inbound folder, and on Windows.
    """
    folder = next(filter(None, map(INBOUND.fullmatch, parts[:-1])), None)
    named = folder or next(filter(None, map(BY_HAND.fullmatch, parts[:-1])), None)
    if named is None or sys.platform == "win32" or owner in (0, os.geteuid()):
        return False
    import pwd  # which Windows does not have

    with suppress(KeyError):  # a name that only looks like a student's is the owner's to choose
        if folder:
            return pwd.getpwuid(owner).pw_name != folder["user"]
    with suppress(KeyError):
        return pwd.getpwnam(named["user"]).pw_uid != owner
    return False


def is_for_another(path: str, assignment_id: str, others: Collection[str]) -> bool:
    """Whether a path in a download leads into the exchange's inbound folder of another assignment.
    `others`: the ids of the course's other assignments; a folder without a time names one of them.
    """
    names = path.split("/")
    inbound = filter(None, map(INBOUND.fullmatch, names))
    by_hand = filter(None, map(BY_HAND.fullmatch, names))
    return any(one["assignment"] != assignment_id for one in inbound) or any(
        one["assignment"] in others for one in by_hand
    )


def _submission(user: str, time: str, label: str, submitted: list[File]) -> HandedIn:
    text = time or _timestamp(submitted)
    when = texts.parse_time(text)
    unread = bool(text) and when is None
    return HandedIn(
        person=person_called(user, PLATFORM),
        label=label,
        files=tuple(file for file in submitted if file.name != files.TIMESTAMP),
        submitted_at=when,
        time_from=UNREAD_TIME if unread else "nbgrader's exchange",
        timeless=unread,
    )


def _timestamp(submitted: list[File]) -> str:
    top = min((len(file.parts) for file in submitted), default=0)  # below are a student's own
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
