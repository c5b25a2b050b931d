"""nbgrader's own layouts: the exchange's inbound folder, and a course's submitted folder.

inbound/ada+sheet-3+2026-11-20 15:00:00.123456 UTC+a1b2/sheet-3.ipynb
submitted/ada/sheet-3/sheet-3.ipynb        with nbgrader's timestamp.txt beside it
"""

import os
import sys
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from autograder.engine.verdict import STUDENT
from autograder.patterns import Pattern
from autograder.people import Person, slug
from autograder.platforms.download import Contents, File, FileRefused, HandedIn, without_student
from autograder.times import MAX_TIMESTAMP, TIMESTAMP, parse_time

PLATFORM = "exchange"
UNREAD_TIME = "nobody: what nbgrader's exchange says is no time"
INBOUND = Pattern(
    r"(?P<user>.+)\+(?P<assignment>[^+]+)\+(?P<time>\d{4}-\d\d-\d\d[^+]*)(?P<rest>\+.*)?"
)


def recognises(file: File, assignment_id: str) -> bool:
    """Whether a file lies where nbgrader puts it."""
    return _inbound(file.parts) is not None or _submitted(file, assignment_id) is not None


def sort_by_student(files: list[File], assignment_id: str) -> Contents:
    """Sort the files by folder; what was handed in for other assignments is left aside."""
    by_folder: dict[tuple[str, str, str], list[File]] = defaultdict(list)
    others = []
    for file in files:
        inbound, submitted = _inbound(file.parts), _submitted(file, assignment_id)
        if inbound:
            if inbound["assignment"] == assignment_id:
                by_folder[inbound["user"], inbound["time"], inbound.string].append(file)
        elif submitted:
            by_folder[submitted, "", f"{submitted}/{assignment_id}"].append(file)
        elif len(file.parts) < 3:  # deeper ones: another assignment's
            others.append(file)
    handed_in = [
        _handed_in(user, time, label, content) for (user, time, label), content in by_folder.items()
    ]
    return Contents(handed_in, without_student(others))


def is_of_another(parts: Sequence[str], owner: int) -> bool:
    """Whether a file of the exchange, where all write as themselves, is in somebody else's folder.

    `owner` is the number of the user whose file it is. What the staff have copied is theirs, and
    where a name is no user's of this machine, nothing can be said.
    """
    found = _inbound(parts)
    if found is None or sys.platform == "win32" or owner in (0, os.geteuid()):
        return False
    import pwd  # which Windows does not have

    try:
        return pwd.getpwnam(found["user"]).pw_uid != owner
    except KeyError:
        return False


def _inbound(parts: Sequence[str]) -> Any | None:
    for part in parts[:-1]:
        found = INBOUND.fullmatch(part)
        if found:
            return found
    return None


def _submitted(file: File, assignment_id: str) -> str | None:
    """The student, where a file lies in a folder of the assignment's name in a student's."""
    folders = file.parts[:-1]
    return folders[-2] if len(folders) > 1 and folders[-1] == assignment_id else None


def _handed_in(user: str, time: str, label: str, files: list[File]) -> HandedIn:
    said = time or _timestamp(files)
    when = parse_time(said)
    unread = bool(said) and when is None
    good = bool(STUDENT.fullmatch(user))
    return HandedIn(
        person=Person(user if good else slug(user), "" if good else user, platform=PLATFORM),
        label=label,
        files=tuple(file for file in files if file.name != TIMESTAMP),
        submitted_at=when,
        time_from=UNREAD_TIME if unread else "nbgrader's exchange",
        timeless=unread,
    )


def _timestamp(files: list[File]) -> str:
    for file in files:
        if file.name == TIMESTAMP:
            try:
                return file.read()[:MAX_TIMESTAMP].decode("ascii", "replace")
            except FileRefused:
                return ""
    return ""
