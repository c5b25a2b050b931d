"""A folder a student, under any name, or a zip of such folders.

ada-softmax/encoder-layer.ipynb
Ada Softmax/work/encoder-layer.ipynb
"""

from collections import defaultdict

from autograder.intake.handed_in import File, Found, HandedIn, matters, nobodys
from autograder.intake.ids import slug
from autograder.intake.member import Member
from autograder.intake.roster import Person
from autograder.verdict import STUDENT

NAME = "folder"


def mine(member: Member, assignment_id: str) -> bool:
    return len(member.parts) > 1


def find(members: list[Member], assignment_id: str) -> Found:
    """Sort the members by folder; one around them all is not a student's."""
    wrapped = _wrapped(members)
    theirs: dict[str, list[File]] = defaultdict(list)
    others = []
    for member in members:
        below = member.parts[wrapped:]
        if len(below) > 1:
            theirs[below[0]].append(File(member, member.name))
        else:
            others.append(member)
    handed_in = [HandedIn(_person(name), name, tuple(files)) for name, files in theirs.items()]
    return Found(handed_in, nobodys(others))


def _wrapped(members: list[Member]) -> int:
    """1 if all that matters is in at least two folders of one folder, else 0."""
    places = {member.parts[:-1] for member in members if matters(member)}
    tops = {place[:1] for place in places}
    seconds = {place[:2] for place in places if len(place) > 1}
    return int(len(tops) == 1 and len(seconds) > 1)


def _person(folder: str) -> Person:
    good = bool(STUDENT.fullmatch(folder))
    return Person(folder if good else slug(folder), "" if good else folder, platform=NAME)
