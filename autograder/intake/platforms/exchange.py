"""nbgrader's own layouts: the exchange's inbound folder, and a course's submitted folder.

inbound/ada+encoder-layer+2026-11-20 15:00:00.123456 UTC+a1b2/encoder-layer.ipynb
submitted/ada/encoder-layer/encoder-layer.ipynb        with nbgrader's timestamp.txt beside it
"""

import re
from collections import defaultdict

from autograder.intake.handed_in import File, Found, HandedIn, nobodys
from autograder.intake.ids import slug
from autograder.intake.member import Member, Unacceptable
from autograder.intake.roster import Person
from autograder.intake.times import parse_time
from autograder.verdict import STUDENT

NAME = "exchange"
INBOUND = re.compile(
    r"(?P<user>.+)\+(?P<assignment>[^+]+)\+(?P<time>\d{4}-\d\d-\d\d[^+]*)(?P<rest>\+.*)?"
)
TIMESTAMP = "timestamp.txt"
SHORT = 200  # characters: longer ones are no timestamps


def mine(member: Member, assignment_id: str) -> bool:
    return _inbound(member) is not None or _submitted(member, assignment_id) is not None


def find(members: list[Member], assignment_id: str) -> Found:
    """Sort the members by folder; what was handed in for other assignments is left aside."""
    theirs: dict[tuple[str, str, str], list[Member]] = defaultdict(list)
    others = []
    for member in members:
        inbound, submitted = _inbound(member), _submitted(member, assignment_id)
        if inbound:
            if inbound["assignment"] == assignment_id:
                theirs[inbound["user"], inbound["time"], inbound.string].append(member)
        elif submitted:
            theirs[submitted, "", f"{submitted}/{assignment_id}"].append(member)
        elif len(member.parts) < 3:  # deeper ones: another assignment's
            others.append(member)
    handed_in = [
        _handed_in(user, time, label, files) for (user, time, label), files in theirs.items()
    ]
    return Found(handed_in, nobodys(others))


def _inbound(member: Member) -> re.Match | None:
    for part in member.parts[:-1]:
        found = INBOUND.fullmatch(part)
        if found:
            return found
    return None


def _submitted(member: Member, assignment_id: str) -> str | None:
    """The student, where a file lies in a folder of the assignment's name in a student's."""
    folders = member.parts[:-1]
    return folders[-2] if len(folders) > 1 and folders[-1] == assignment_id else None


def _handed_in(user: str, time: str, label: str, members: list[Member]) -> HandedIn:
    said = time or _timestamp(members)
    files = tuple(File(member, member.name) for member in members if member.name != TIMESTAMP)
    good = bool(STUDENT.fullmatch(user))
    person = Person(user if good else slug(user), "" if good else user, platform=NAME)
    return HandedIn(person, label, files, parse_time(said), "nbgrader's exchange")


def _timestamp(members: list[Member]) -> str:
    for member in members:
        if member.name == TIMESTAMP:
            try:
                return member.read()[:SHORT].decode("ascii", "replace")
            except Unacceptable:
                return ""
    return ""
