"""Canvas's "Download submissions": all files in one folder, named by user and upload.

    softmaxada_12345_67890_encoder-layer.ipynb            last name and first name, user, upload
    softmaxada_LATE_12345_67890_encoder-layer-1.ipynb     after the due date; handed in again
    anon_aB3xZ_67890_encoder-layer.ipynb                  graded without names
    softmaxada_12345_text.html                            a text or a link, and no file

Canvas writes the moment of the download into the zip, not that of handing in: uploads are told
apart by their number, which counts up, and whoever was late by the word.
"""

import re
from collections import defaultdict

from autograder.intake.handed_in import File, Found, HandedIn, nobodys
from autograder.intake.ids import slug
from autograder.intake.member import Member
from autograder.intake.roster import Person

NAME = "canvas"
USER = r"(?:(?P<name>.+?)_)??(?P<late>LATE_)?(?P<user>\d+|anon_[A-Za-z0-9]+)"
FILE = re.compile(rf"{USER}_(?P<upload>\d+)_(?P<file>.+)")
TEXT = re.compile(rf"{USER}_(?:text|link)\.html")


def mine(member: Member, assignment_id: str) -> bool:
    return _match(member) is not None


def find(members: list[Member], assignment_id: str) -> Found:
    """Sort the members by user."""
    people: dict[str, list[tuple[re.Match, Member]]] = defaultdict(list)
    for member in members:
        found = _match(member)
        if found:
            people[found["user"]].append((found, member))
    handed_in = [_handed_in(user, theirs) for user, theirs in people.items()]
    return Found(handed_in, nobodys(member for member in members if not _match(member)))


def _match(member: Member) -> re.Match | None:
    return FILE.fullmatch(member.name) or TEXT.fullmatch(member.name)


def _handed_in(user: str, theirs: list[tuple[re.Match, Member]]) -> HandedIn:
    name = theirs[0][0]["name"] or ""
    student = slug(name, user) if slug(name) else slug("canvas", user)
    files = tuple(
        File(member, found["file"], int(found["upload"][:18]))
        for found, member in theirs
        if found.re is FILE
    )
    late = any(found["late"] for found, _ in theirs)
    person = Person(student, name, platform=NAME, number=user)
    label = f"{name}_{user}" if name else user
    return HandedIn(
        person, label, files, time_from="Canvas's zip tells none", late=late, timeless=True
    )
