"""Gradescope, both ways: "Export submissions", and a results.json for each submission.

The export has a folder a submission, and one YAML file that says who handed it in:

    assignment_123_export/submission_metadata.yml
    assignment_123_export/submission_456/sheet-3.ipynb

The YAML is Ruby's: keys like `:submitters:`. Everything in it is read as text, so that a student
number keeps its zeros and no value becomes an object.

A results.json is what Gradescope reads from an autograder. Without a score there is none: who has
no grade is left out, never given 0.
"""

import json
from collections import Counter, defaultdict
from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any

import yaml

from autograder.engine.verdict import STUDENT, ExerciseResult
from autograder.gradebook.check_cell import STATES
from autograder.patterns import Pattern
from autograder.people import Person
from autograder.platforms.download import (
    Contents,
    File,
    FileRefused,
    HandedIn,
    Item,
    Left,
    NoDownload,
    Platform,
)
from autograder.platforms.grades import Grade, decimal_text
from autograder.text import first_line, printable
from autograder.times import parse_time

PLATFORM = "gradescope"
METADATA = "submission_metadata.yml"
WRITTEN = Pattern(r"(?s)(?P<key>submission_[^.]*).*")  # a folder, or a file alone
DEEPEST = 40  # of the YAML
LOADER: Any = getattr(yaml, "CBaseLoader", yaml.BaseLoader)  # plain texts, lists and mappings only
VISIBILITY = "after_published"  # when a person has published the grades
FOLDER = Pattern(r"[A-Za-z0-9][A-Za-z0-9_.@-]*")


def _sort_by_student(items: list[Item], assignment_id: str, known: Collection[str]) -> Contents:
    """Give each submission to everybody who is named with it. Raises `NoDownload`."""
    metadata = next((item for item in items if item.name == METADATA), None)
    if metadata is None:
        raise NoDownload(f"There is no {METADATA} in the download: nothing says whose is what.")
    by_submission: dict[str, list[File]] = defaultdict(list)
    for item in items:
        if item is not metadata:
            by_submission[item.said["key"]] += item.files
    found = _records(metadata.files[0]).items()
    records = {key: value for key, value in found if isinstance(value, dict)}
    submitters = {key: _submitters(value) for key, value in records.items()}
    emails = {_email(person) for people in submitters.values() for person in people}
    locals_ = Counter(email.partition("@")[0] for email in emails)
    handed_in = [
        HandedIn(
            person=_person(submitter, key, locals_),
            label=key,
            files=tuple(by_submission.get(key, ())),
            submitted_at=_created(records[key]),
            time_from="Gradescope",
        )
        for key, people in submitters.items()
        for submitter in people
    ]
    unnamed = [
        left
        for key in dict.fromkeys([*submitters, *by_submission])
        if not submitters.get(key)
        for left in _of_nobody(key, by_submission.get(key, []))
    ]
    return Contents(handed_in, unnamed)


def _of_nobody(key: str, files: list[File]) -> list[Left]:
    """What a submission holds that nobody is named with; the submission itself if that is nothing."""
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
                raise NoDownload(f"{METADATA} is nested more than {DEEPEST} deep; export it again.")
        content = yaml.load(text, Loader=LOADER)
    except FileRefused as error:
        raise NoDownload(f"{METADATA} {error}.") from error
    except (yaml.YAMLError, UnicodeDecodeError, ValueError, TypeError, RecursionError) as error:
        reason = first_line(error, 120)
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
            str(key).lstrip(":"): printable(" ".join(value.split()))
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
    return Person(student, name, email, PLATFORM, number)


RECORD = Platform(
    PLATFORM,
    WRITTEN,
    _sort_by_student,
    lambda items, around, assignment_id: any(item.name == METADATA for item in items),
    files=True,
)


def result_files(grades: Sequence[Grade]) -> dict[str, bytes]:
    """Return the files by name: <submission>/results.json, or <student>/ where no submission is known."""
    graded = [grade for grade in grades if grade.total is not None]
    taken = Counter(_number(grade) for grade in graded) + Counter(grade.student for grade in graded)
    made = {}
    for grade in graded:
        number = _number(grade)
        folder = number if number and taken[number] == 1 else grade.student
        content = json.dumps(result_json(grade), indent=1, ensure_ascii=False, allow_nan=False)
        made[f"{folder}/results.json"] = (content + "\n").encode()
    return made


def _number(grade: Grade) -> str:
    person = grade.person
    known = person.platform in ("gradescope", "") and FOLDER.fullmatch(person.number)
    return person.number if known else ""


def result_json(grade: Grade) -> dict:
    """Return the content of one results.json: only what the verdict says, no hidden number."""
    tests = [test for result in grade.verdict.exercises for test in _tests(result)]
    mark = grade.mark
    if mark and (mark.by_hand or mark.max_points > grade.verdict.max_points):
        waiting = f"{mark.waiting} still to be marked." if mark.waiting else ""
        tests.append(
            _test("marked by hand", mark.by_hand, mark.max_points - grade.verdict.max_points)
            | {"output": waiting}
        )
    said = [f"{decimal_text(grade.total or 0)} of {decimal_text(grade.max_points)} points."]
    if mark is None:
        said = [f"Automatic points only, of {decimal_text(grade.max_points)}."]
    elif mark.penalty:
        noun = "point" if mark.penalty == 1 else "points"
        said.append(f"Handed in late: {decimal_text(mark.penalty)} {noun} less.")
    return {
        "score": grade.total,
        "output": " ".join(said),
        "output_format": "text",
        "visibility": VISIBILITY,
        "stdout_visibility": "hidden",
        "tests": tests,
    }


def _tests(result: ExerciseResult) -> list[dict]:
    """The checks; the exercise itself where it came to none."""
    name = result.id.replace("_", " ")
    said = [mistake.sentence for mistake in result.mistakes]
    if STATES[result.state]:
        said.insert(0, f"The exercise: {STATES[result.state]}.")
    if not result.checks:
        test = _test(name, result.points, result.max_points)
        return [test | {"status": "failed", "output": "\n".join(said)}]
    tests = []
    for check in result.checks:
        failed = [] if check.passed else [check.message or "", *said]
        tests.append(
            _test(f"{name}: {check.sentence}", check.points, check.max_points)
            | {"status": "passed" if check.passed else "failed"}
            | {"output": "\n".join(filter(None, failed))}
        )
    return tests


def _test(name: str, score: float, max_score: float) -> dict:
    return {
        "name": name,
        "name_format": "text",
        "score": score,
        "max_score": max_score,
        "output_format": "text",
        "visibility": VISIBILITY,
    }
