"""Moodle's "Download all submissions": a folder a participant, or all files in one folder.

    Ada Softmax_1234567_assignsubmission_file/encoder-layer.ipynb      since 4.1
    Ada Softmax_1234567_assignsubmission_file_/encoder-layer.ipynb     before
    Ada Softmax_1234567_assignsubmission_file_encoder-layer.ipynb      not as folders
    Group A_42_assignsubmission_file_/...                              groups: the group's number
    Default group_assignsubmission_file_/...                           whoever is in no group

Moodle turns the underscores of a name into spaces, so the first match is Moodle's own words. The
zip's times are when a file was handed in, in the server's zone, which the zip does not name.
"""

import re
from collections import defaultdict

from autograder.intake.handed_in import File, Found, HandedIn, nobodys
from autograder.intake.ids import slug
from autograder.intake.member import Member
from autograder.intake.roster import Person

NAME = "moodle"
DEEPEST = 3  # folders around it that people or systems add
PART = re.compile(
    r"(?P<name>.*?)(?:_(?P<number>\d+))?_assignsubmission_(?P<kind>[a-z]+)(?:_(?P<file>.*))?"
)
TEAM = re.compile(r"(group|gruppe|groupe|grupo|gruppo|groep|team)\b", re.IGNORECASE)


def mine(member: Member, assignment_id: str) -> bool:
    return _match(member) is not None


def find(members: list[Member], assignment_id: str) -> Found:
    """Sort the members by participant; texts written online are no notebooks."""
    people: dict[tuple[str, str], list[File]] = defaultdict(list)
    for member in members:
        found = _match(member)
        if found:
            files = people[found["name"], found["number"] or ""]
            if found["kind"] == "file":
                files.append(File(member, _own_name(member, found)))
    handed_in = [_handed_in(name, number, files) for (name, number), files in people.items()]
    return Found(handed_in, nobodys(member for member in members if not _match(member)))


def _match(member: Member) -> re.Match | None:
    for depth, part in enumerate(member.parts[:DEEPEST]):
        found = PART.fullmatch(part)
        if found and (found["file"] or depth + 1 < len(member.parts)):
            return found
    return None


def _own_name(member: Member, found: re.Match) -> str:
    return found["file"] if member.name == found.string and found["file"] else member.name


def _handed_in(name: str, number: str, files: list[File]) -> HandedIn:
    student = slug(name, number) if number else slug(name)
    if number and student == slug("", number):  # a name that ASCII cannot say
        student = slug(NAME, number)
    person = Person(student, name.strip(), platform=NAME, number=number)
    label = f"{name}_{number}" if number else name
    return HandedIn(
        person, label, tuple(files), team=name if not number or TEAM.match(name) else ""
    )
