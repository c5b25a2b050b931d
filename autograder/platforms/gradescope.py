"""Gradescope: read its download ("Export submissions"), and make `autograder.zip`, which hands each
submission its result.

The export has a folder for each submission, and a YAML file that names the submitters:

    assignment_123_export/submission_metadata.yml
    assignment_123_export/submission_456/sheet-3.ipynb

The YAML is Ruby's: keys like `:submitters:`. All its values are read as text, so that a student
number keeps its zeros and no value becomes an object. A submission has another number with each
attempt, so a submitter is identified only by student number (`:sid:`) and complete e-mail address.

Gradescope reads a results.json from an autograder, and a score of 0 in it would count. So a student
without a grade gets no results.json.

`autograder.zip` contains results that were computed here, and grades nothing itself. Students submit
at Gradescope. The course downloads ("Export Submissions"), grades in its own sandbox, and uploads
this zip ("Configure Autograder"). "Regrade All Submissions" then gives each submission its result.
Gradescope's /autograder/submission_metadata.json has the number of the submission, the same as in
the export's folder names. The zip contains no grader, no solution and no student's name.
`run_autograder` runs no student code, which could read the results.

https://gradescope-autograders.readthedocs.io/en/latest/specs/
https://gradescope-autograders.readthedocs.io/en/latest/submission_metadata/
"""

import json
from collections import defaultdict
from pathlib import Path
from typing import Any

import yaml

from autograder.classroom.blocks.verdict_blocks import ExerciseBlocks, verdict_blocks
from autograder.classroom.roster import Person
from autograder.engine import AutograderError, Pattern, name_some, printable, texts, verdicts
from autograder.gradebook.grades import Grade, decimal_text
from autograder.gradebook.pages.of_grade import zip_bytes
from autograder.platforms.download import File, FileRefused
from autograder.platforms.platform import (
    ClassGrades,
    Contents,
    Format,
    HandedIn,
    Item,
    Known,
    Layout,
    Platform,
    lefts,
)

PLATFORM = "gradescope"
VISIBILITY = "after_published"  # after staff have published the grades
FOLDER = Pattern(r"[A-Za-z0-9][A-Za-z0-9_.@-]*")
TEMPLATES = Path(__file__).with_name("templates")
RUN, SETUP = "run_autograder", "setup.sh"
GRADED = "graded.json"
UPLOAD = (
    "Upload autograder.zip at Gradescope's Configure Autograder, then press Regrade All Submissions. A "
    "submission that has no grade gets no score: Gradescope says that the autograder failed, and its "
    "output tells you why."
)
METADATA = "submission_metadata.yml"
WRITTEN = Pattern(r"(?s)(?P<key>submission_[^.]*).*")  # a folder, or a single file
SUBMISSION = Pattern(r"submission_\d+")  # a folder
DEEPEST = 40  # levels of the YAML
LOADER: Any = getattr(yaml, "CBaseLoader", yaml.BaseLoader)  # plain texts, lists and mappings only


def _write(of_class: ClassGrades) -> tuple[list[bytes], list[str]]:
    """Return the content of `autograder.zip`, as a list, and sentences on it."""
    by_number, unknown = of_class.by_name(lambda grade: _submission(grade, of_class))
    groups = sorted(by_number.items())
    best = {number: max(group, key=lambda grade: grade.total or 0.0) for number, group in groups}
    graded = {
        number: of_class.parts[grade.student]
        for number, grade in best.items()
        if not grade.no_grade
    }
    without = {number: grade.no_grade for number, grade in best.items() if grade.no_grade}
    content = {"assignment": of_class.assignment, "submissions": graded, "without": without}
    files = {
        SETUP: (TEMPLATES / "gradescope_setup.sh").read_bytes(),
        RUN: (TEMPLATES / "gradescope_run_autograder.py").read_bytes(),
        GRADED: _json(content),
    }
    differing = [
        f"Submission {number} is of {name_some([grade.student for grade in group])}, whose points differ; Gradescope "
        "keeps one score a submission: it is the highest, so change the others there."
        for number, group in groups
        if len({grade.total for grade in group}) > 1
    ]
    sentences = [
        f"{len(graded)} submissions are in autograder.zip.",
        UPLOAD,
        *texts.sentence_on(
            unknown,
            "Not in autograder.zip: {}; no submission of theirs was collected from Gradescope. "
            "`collect` its export, and name that folder with --submitted.",
        ),
        *differing,
    ]
    return [zip_bytes(files, (RUN, SETUP))], sentences


def _json(content: dict) -> bytes:
    text = json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False)
    return f"{text}\n".encode("utf-8", "backslashreplace")


def _submission(grade: Grade, of_class: ClassGrades) -> str:
    """Return the number of the student's newest submission at Gradescope, or ""."""
    file = of_class.received.get(grade.student)
    return file.submission if file and FOLDER.fullmatch(file.submission) else ""


def result_json(grade: Grade) -> dict:
    """Return the content of a student's results.json in Gradescope's format, with those parts of
    the verdict that the student may see.
    """
    blocks = verdict_blocks(grade.verdict, "student").values()
    tests = [test for exercise_blocks in blocks for test in _tests(exercise_blocks)]
    mark = grade.mark
    if mark and grade.marked_by_hand:
        waiting = f"{mark.waiting} still to be marked." if mark.waiting else ""
        tests.append(
            _test("marked by hand", mark.by_hand, mark.max_points - grade.verdict.max_points)
            | {"output": waiting}
        )
    output = f"Automatic points only, of {decimal_text(grade.max_points)}."
    if mark:
        output = f"{decimal_text(grade.total or 0)} of {decimal_text(grade.max_points)} points."
    if mark and mark.penalty:
        noun = "point" if mark.penalty == 1 else "points"
        output += f" Handed in late: {decimal_text(mark.penalty)} {noun} less."
    return {
        "score": grade.total,
        "output": output,
        "output_format": "text",
        "visibility": VISIBILITY,
        "stdout_visibility": "hidden",
        "tests": tests,
    }


def _tests(blocks: ExerciseBlocks) -> list[dict]:
    """Return Gradescope's entry for each check of an exercise, or a single entry without checks."""
    heading = blocks.heading
    sentences = [f"The exercise: {heading.state}."] if heading.state else []
    sentences += [mistake.text for mistake in blocks.of_kind("mistake")]
    if not blocks.checks:
        test = _test(heading.text, heading.points, heading.max_points)
        return [test | {"status": "failed", "output": "\n".join(sentences)}]
    questions = [
        (group.question.text if group.question else "", group.results) for group in blocks.checks
    ]
    return [
        {
            **_test(f"{heading.text}: {check.sentence}", check.points, check.max_points),
            "status": "passed" if check.passed else "failed",
            "output": "" if check.passed else "\n".join(filter(None, [question, *sentences])),
        }
        for question, checks in questions
        for check in checks
    ]


def _test(name: str, score: float, max_score: float) -> dict:
    return {
        "name": name,
        "name_format": "text",
        "score": score,
        "max_score": max_score,
        "output_format": "text",
        "visibility": VISIBILITY,
    }


def _part(grade: Grade, of_class: ClassGrades) -> dict:
    """Return a student's results.json. Raises `ValueError` if it cannot be written as JSON."""
    result = result_json(grade)
    _json(result)
    return result


FORMAT = Format(
    files=("autograder.zip",),
    part=_part,
    write=_write,
    before_grading=True,
    manual=(
        "`autograder.zip`, which hands each submission its result",
        "*Configure Autograder*, then *Regrade All Submissions*",
    ),
)


def _sort_by_student(items: list[Item], assignment_id: str, facts: Known) -> Contents:
    """Return a submission for each submitter of each Gradescope submission, by the download's YAML
    file. Raises `AutograderError` if the YAML file is missing or damaged.
    """
    metadata = next((item for item in items if item.name == METADATA), None)
    if metadata is None:
        raise AutograderError(
            f"There is no {METADATA} beside the submissions: nothing says whose is what. Take the "
            "export as Gradescope made it."
        )
    files_by_key: dict[str, list[File]] = defaultdict(list)
    for item in items:
        if item is not metadata:
            files_by_key[item.said["key"]] += item.files
    records = _records(metadata.files[0])
    contents = Contents([])
    for key in dict.fromkeys([*records, *files_by_key]):
        files, record = files_by_key[key], records.get(key, {})
        submitters = _submitters(record)
        contents.handed_in.extend(
            HandedIn(
                person=_person(submitter),
                label=key,
                files=tuple(files),
                submitted_at=texts.parse_time(str(record.get("created_at", ""))),
                time_from="Gradescope",
                submission=key.removeprefix("submission_"),
            )
            for submitter in submitters
        )
        if not submitters:
            reason = f"is nobody's: {METADATA} names no submitter"
            contents.without_student.extend(lefts(key, files, reason))
    return contents


def _without_metadata(items: list[Item], around: str, assignment_id: str) -> bool:
    """Whether the YAML file is missing: all `items` are folders with names from Gradescope."""
    return bool(items) and all(SUBMISSION.fullmatch(item.name) for item in items)


def _records(file: File) -> dict[str, dict]:
    """Return the record of each submission in the YAML file, with keys without Ruby's colon."""
    try:
        text = file.read().decode("utf-8-sig")
        depth = 0
        for event in yaml.parse(text, Loader=LOADER):
            depth += isinstance(event, yaml.CollectionStartEvent)
            depth -= isinstance(event, yaml.CollectionEndEvent)
            if depth > DEEPEST:
                raise AutograderError(
                    f"{METADATA} is nested more than {DEEPEST} deep; export it again."
                )
        content = yaml.load(text, Loader=LOADER)
    except FileRefused as error:
        raise AutograderError(f"{METADATA} {error}.") from error
    except (yaml.YAMLError, UnicodeDecodeError, ValueError, TypeError, RecursionError) as error:
        reason = texts.first_line(error, 120)
        raise AutograderError(f"{METADATA} cannot be read ({reason}); export it again.") from error
    if not isinstance(content, dict):
        raise AutograderError(f"{METADATA} says nothing of any submission; export it again.")
    records = {key: record for key, record in content.items() if isinstance(record, dict)}
    return {
        key: {str(name).lstrip(":"): value for name, value in record.items()}
        for key, record in records.items()
    }


def _submitters(record: dict) -> list[dict[str, str]]:
    return [
        {
            str(key).lstrip(":"): printable(" ".join(value.split()))
            for key, value in person.items()
            if isinstance(value, str)
        }
        for person in record.get("submitters", [])
        if isinstance(person, dict)
    ]


def _person(submitter: dict[str, str]) -> Person:
    number, email = submitter.get("sid", ""), submitter.get("email", "")
    suggested = next(filter(verdicts.STUDENT.fullmatch, (number, email.lower())), "")
    return Person(suggested, submitter.get("name", ""), email, PLATFORM, number)


RECORD = Platform(
    PLATFORM,
    (
        Layout(
            WRITTEN,
            _sort_by_student,
            lambda items, around, assignment_id: any(item.name == METADATA for item in items),
            files=True,
        ),
        Layout(WRITTEN, _sort_by_student, _without_metadata, certainty=0),
    ),
    FORMAT,
    manual=("Gradescope", "*Export Submissions*", "its `submission_metadata.yml`"),
)
