"""Gradescope's "Export submissions": a folder a submission, and who handed it in in one YAML file.

    assignment_123_export/submission_metadata.yml
    assignment_123_export/submission_456/encoder-layer.ipynb

The YAML is Ruby's: keys like `:submitters:`. Everything in it is read as text, so that a student
number keeps its zeros and no value becomes an object.
"""

from collections import Counter, defaultdict
from datetime import datetime
from typing import Any

import yaml

from autograder.intake.handed_in import File, Found, HandedIn, nobodys
from autograder.intake.member import Member, NoDownload, Unacceptable, shown
from autograder.intake.roster import Person
from autograder.intake.times import parse_time
from autograder.verdict import STUDENT

NAME = "gradescope"
METADATA = "submission_metadata.yml"
DEEPEST = 40  # of the YAML
LOADER: Any = getattr(yaml, "CBaseLoader", yaml.BaseLoader)  # plain texts, lists and mappings only


def mine(member: Member, assignment_id: str) -> bool:
    return member.name == METADATA or any(part.startswith("submission_") for part in member.parts)


def find(members: list[Member], assignment_id: str) -> Found:
    """Give each submission to everybody who is named with it. Raises `NoDownload`."""
    said = min(
        (member for member in members if member.name == METADATA),
        key=lambda member: len(member.parts),
        default=None,
    )
    if said is None:
        raise NoDownload(f"There is no {METADATA} in the download: nothing says whose is what.")
    top = said.parts[:-1]
    files: dict[str, list[File]] = defaultdict(list)
    others = []
    for member in members:
        below = member.parts[len(top) :]
        if member.parts[: len(top)] == top and below and below[0].startswith("submission_"):
            key = below[0] if len(below) > 1 else below[0].split(".")[0]
            files[key].append(File(member, member.name))
        elif member is not said:
            others.append(member)
    records = {key: value for key, value in _records(said).items() if isinstance(value, dict)}
    named = {key: _submitters(value) for key, value in records.items()}
    emails = {_email(person) for people in named.values() for person in people}
    locals_ = Counter(email.partition("@")[0] for email in emails)
    handed_in = [
        HandedIn(
            _person(submitter, key, locals_),
            key,
            tuple(files.get(key, ())),
            _created(records[key]),
            "Gradescope",
        )
        for key, people in named.items()
        for submitter in people
    ]
    unnamed = [
        f"`{shown(key)}` is nobody's: {METADATA} names no submitter."
        for key in dict.fromkeys([*named, *files])
        if not named.get(key) and key != METADATA.split(".")[0]
    ]
    return Found(handed_in, unnamed + nobodys(others))


def _records(member: Member) -> dict:
    try:
        text = member.read().decode("utf-8-sig")
        deep = 0
        for event in yaml.parse(text, Loader=LOADER):
            deep += isinstance(event, yaml.CollectionStartEvent)
            deep -= isinstance(event, yaml.CollectionEndEvent)
            if deep > DEEPEST:
                raise NoDownload(f"{METADATA} is nested more than {DEEPEST} deep; export it again.")
        content = yaml.load(text, Loader=LOADER)
    except Unacceptable as error:
        raise NoDownload(f"{METADATA} {error}.") from error
    except (yaml.YAMLError, UnicodeDecodeError, ValueError, TypeError, RecursionError) as error:
        reason = str(error).splitlines()[0][:120]
        raise NoDownload(f"{METADATA} cannot be read ({reason}); export it again.") from error
    if not isinstance(content, dict):
        raise NoDownload(f"{METADATA} says nothing of any submission; export it again.")
    return content


def _submitters(record: dict) -> list[dict[str, str]]:
    people = record.get(":submitters", record.get("submitters"))
    if not isinstance(people, list):
        return []
    return [
        {
            str(key).lstrip(":"): shown(" ".join(value.split()))
            for key, value in person.items()
            if isinstance(value, str)
        }
        for person in people
        if isinstance(person, dict)
    ]


def _created(record: dict) -> datetime | None:
    said = record.get(":created_at", record.get("created_at"))
    return parse_time(said) if isinstance(said, str) else None


def _email(submitter: dict[str, str]) -> str:
    return submitter.get("email", "").casefold()


def _person(submitter: dict[str, str], key: str, locals_: Counter) -> Person:
    number = key.removeprefix("submission_")
    local = submitter.get("email", "").partition("@")[0]
    for student in (submitter.get("sid", ""), local if locals_[local.casefold()] == 1 else ""):
        if STUDENT.fullmatch(student):
            break
    else:
        student = key if STUDENT.fullmatch(key) else ""
    name, email = submitter.get("name", ""), submitter.get("email", "")
    return Person(student, name, email, NAME, number)
