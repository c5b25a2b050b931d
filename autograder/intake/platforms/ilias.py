"""ILIAS's download of all submissions of an exercise: a folder a person, perhaps in a team's.

    Sheet 3/Submissions/Softmax_Ada_asoftmax_4711/encoder-layer.ipynb
    Sheet 3/Abgaben/Team 12/Softmax_Ada_asoftmax_4711/encoder-layer.ipynb   who uploaded it
    Sheet 3/Abgaben/Team 12/Ada Softmax/encoder-layer.ipynb                 by name only
    Team_12/Softmax_Ada_asoftmax_4711/20261120150000_encoder-layer.ipynb    feedback layouts

What is late has words before its name, in the server's language. ILIAS packs with Unix times.
"""

import re
from collections import defaultdict
from datetime import datetime

from autograder.intake.handed_in import File, Found, HandedIn, nobodys
from autograder.intake.ids import slug
from autograder.intake.member import Member
from autograder.intake.roster import Person
from autograder.verdict import STUDENT

NAME = "ilias"
DEEPEST = 5
FEEDBACK = "Feedback_files"  # from one student to another
PERSON = re.compile(r"(?P<name>[^_]+_.+)_(?P<login>[^_]+)_(?P<number>\d+)")
TEAM = re.compile(r"(?P<team>(?:Team|Gruppe|Group|Équipe|Equipo)[ _]+\d+)", re.IGNORECASE)
STAMP = re.compile(r"(?P<stamp>\d{14})_(?P<name>.+)", re.DOTALL)


def mine(member: Member, assignment_id: str) -> bool:
    return any(_place(member)) or FEEDBACK in member.parts


def find(members: list[Member], assignment_id: str) -> Found:
    """Sort the members by the person who uploaded them, else by team."""
    theirs: dict[tuple[str, str], list[File]] = defaultdict(list)
    for member in members:
        team, folder = _place(member)
        if folder:
            theirs[team if not PERSON.fullmatch(folder) else "", folder].append(_file(member))
        elif team:
            theirs[team, ""].append(_file(member))
    teams = {folder: team for team, folder in map(_place, members) if folder and team}
    handed_in = [
        _handed_in(folder, team or teams.get(folder, ""), files)
        for (team, folder), files in theirs.items()
    ]
    return Found(handed_in, nobodys(m for m in members if not mine(m, assignment_id)))


def _place(member: Member) -> tuple[str, str]:
    """The team's folder and the person's folder that a member is in, "" where there is none."""
    team = ""
    if FEEDBACK in member.parts:
        return "", ""
    for part in member.parts[:-1][:DEEPEST]:
        if PERSON.fullmatch(part):
            return team, part
        found = TEAM.fullmatch(part)
        team = team or (found["team"] if found else "")
    return team, ""


def _file(member: Member) -> File:
    stamped = STAMP.fullmatch(member.name)
    if not stamped:
        return File(member, member.name)
    try:
        written = datetime.strptime(stamped["stamp"], "%Y%m%d%H%M%S")
    except ValueError:
        return File(member, member.name)
    return File(member, stamped["name"], written=written)


def _handed_in(folder: str, team: str, files: list[File]) -> HandedIn:
    found = PERSON.fullmatch(folder)
    if not found:
        number = re.sub(r"\D+", "", team)
        person = Person(slug(team), team, platform=NAME, number=f"team-{number}")
        return HandedIn(person, team, tuple(files), team=team)
    name = " ".join(reversed(found["name"].split("_", 1)))
    login, number = found["login"], found["number"]
    student = login if STUDENT.fullmatch(login) else slug(name, number) or slug(NAME, number)
    person = Person(student, name, platform=NAME, number=number)
    return HandedIn(person, folder, tuple(files), team=team)
