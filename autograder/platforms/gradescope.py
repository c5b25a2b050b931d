"""Gradescope: read its download ("Export submissions").

The export has a folder for each submission, and a YAML file that names the submitters:

    assignment_123_export/submission_metadata.yml
    assignment_123_export/submission_456/sheet-3.ipynb

The YAML is Ruby's: keys like `:submitters:`. All its values are read as text, so that a student
number keeps its zeros and no value becomes an object. A submission has another number with each
attempt, so only a submitter's student number (`:sid:`) and whole e-mail address tell who it is.
"""

import json
from collections import defaultdict
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

import yaml

from autograder.engine.verdict.verdict import STUDENT
from autograder.people.roster import Person
from autograder.platforms.download import File, FileRefused, Left
from autograder.platforms.gradescope_results import FORMAT, PLATFORM
from autograder.platforms.platform import Contents, HandedIn, Item, Known, Layout, Platform
from autograder.platforms.sample import InventedClass, Member, Sample
from autograder.text.errors import CommandError
from autograder.text.patterns import Pattern
from autograder.text.printable import first_line, printable
from autograder.text.times import parse_time

METADATA = "submission_metadata.yml"
WRITTEN = Pattern(r"(?s)(?P<key>submission_[^.]*).*")  # a folder, or a file alone
DEEPEST = 40  # of the YAML
LOADER: Any = getattr(yaml, "CBaseLoader", yaml.BaseLoader)  # plain texts, lists and mappings only


def _sort_by_student(items: list[Item], assignment_id: str, known: Known) -> Contents:
    """Return one submission for each submitter of each Gradescope submission, by the download's
    YAML file. `items`: that file, and the submissions. `assignment_id` and `known` are not used.

    Raises `CommandError` if the YAML file is missing or damaged.
    """
    metadata = next((item for item in items if item.name == METADATA), None)
    if metadata is None:
        raise CommandError(f"There is no {METADATA} in the download: nothing says whose is what.")
    files_by_key: dict[str, list[File]] = defaultdict(list)
    for item in items:
        if item is not metadata:
            files_by_key[item.said["key"]] += item.files
    records = {
        key: record
        for key, record in _records(metadata.files[0]).items()
        if isinstance(record, dict)
    }
    contents = Contents([])
    for key in dict.fromkeys([*records, *files_by_key]):
        files = files_by_key[key]
        submitters = _submitters(records.get(key, {}))
        contents.handed_in.extend(
            HandedIn(
                person=_person(submitter),
                label=key,
                files=tuple(files),
                submitted_at=_created(records[key]),
                time_from="Gradescope",
                submission=key.removeprefix("submission_"),
            )
            for submitter in submitters
        )
        contents.without_student.extend([] if submitters else _of_nobody(key, files))
    return contents


def _of_nobody(key: str, files: list[File]) -> list[Left]:
    """Return an entry for each notebook or archive of a submission without submitters; if it has
    none, one entry for the submission.

    `key` is the submission's name in the export.
    """
    sentence = f"`{printable(key)}` is nobody's: {METADATA} names no submitter."
    readable = [Left(file.path, sentence, file) for file in files if file.may_hold_notebook]
    return readable or [Left(key, sentence)]


def _records(file: File) -> dict:
    try:
        text = file.read().decode("utf-8-sig")
        deep = 0
        for event in yaml.parse(text, Loader=LOADER):
            deep += isinstance(event, yaml.CollectionStartEvent)
            deep -= isinstance(event, yaml.CollectionEndEvent)
            if deep > DEEPEST:
                raise CommandError(
                    f"{METADATA} is nested more than {DEEPEST} deep; export it again."
                )
        content = yaml.load(text, Loader=LOADER)
    except FileRefused as error:
        raise CommandError(f"{METADATA} {error}.") from error
    except (yaml.YAMLError, UnicodeDecodeError, ValueError, TypeError, RecursionError) as error:
        reason = first_line(error, 120)
        raise CommandError(f"{METADATA} cannot be read ({reason}); export it again.") from error
    if not isinstance(content, dict):
        raise CommandError(f"{METADATA} says nothing of any submission; export it again.")
    return content


def _submitters(record: dict) -> list[dict[str, str]]:
    people = record.get(":submitters", record.get("submitters"))
    if not isinstance(people, list):
        return []
    return [
        {
            str(key).lstrip(":"): printable(" ".join(value.split()))
            for key, value in person.items()
            if isinstance(value, str)
        }
        for person in people
        if isinstance(person, dict)
    ]


def _created(record: dict) -> datetime | None:
    created = record.get(":created_at", record.get("created_at"))
    return parse_time(created) if isinstance(created, str) else None


def _person(submitter: dict[str, str]) -> Person:
    number, email = submitter.get("sid", ""), submitter.get("email", "")
    suggested = next(filter(STUDENT.fullmatch, (number, email.lower())), "")
    return Person(suggested, submitter.get("name", ""), email, PLATFORM, number)


def _sample(invented: InventedClass) -> Iterator[Member]:
    """Yield the files of Gradescope's export for an invented class. Every twentieth student shares
    the submission of the student before.
    """
    top = "assignment_7654321_export"
    people, lines = invented.people, []
    for index, (student, notebook) in enumerate(zip(people, invented.notebooks, strict=True)):
        if index % 20 == 19:
            continue
        together = people[index : index + 2] if index % 20 == 18 else [student]
        key = f"submission_{300_000_000 + student.number}"
        lines += [f"{key}:", "  :submitters:"]
        for person in together:
            lines.append(f"  - :name: {json.dumps(person.full_name, ensure_ascii=False)}")
            lines.append(f"    :sid: '{person.number:09d}'")
            lines.append(f"    :email: {person.email}")
        lines += [
            f"  :created_at: {student.handed_in:%Y-%m-%d %H:%M:%S}.861687000 Z",
            "  :score: 0.0",
        ]
        if student.again:
            before = student.handed_in - timedelta(hours=5)
            lines += ["  :history:", f"  - :created_at: {before:%Y-%m-%d %H:%M:%S}.120000000 Z"]
        yield Member(f"{top}/{key}/{invented.assignment}.ipynb", notebook, invented.downloaded)
    metadata = "\n".join(["---", *lines, ""]).encode()
    yield Member(f"{top}/{METADATA}", metadata, invented.downloaded)


RECORD = Platform(
    PLATFORM,
    (
        Layout(
            WRITTEN,
            _sort_by_student,
            lambda items, around, assignment_id: any(item.name == METADATA for item in items),
            files=True,
        ),
    ),
    FORMAT,
    Sample(_sample),
    manual=("Gradescope", "*Export Submissions*", "its `submission_metadata.yml`"),
)
