"""ILIAS: read its download of all submissions of an exercise, and make the zip of feedback for its
"Multi-Feedback".

The download has a folder for each person, sometimes inside a team's:

    Sheet 3/Submissions/Softmax_Ada_asoftmax_4711/sheet-3.ipynb
    Sheet 3/Abgaben/Team 12/Softmax_Ada_asoftmax_4711/sheet-3.ipynb   the member who uploaded it
    Sheet 3/Abgaben/Team 12/Ada Softmax/sheet-3.ipynb                 by name only
    Team_12/Softmax_Ada_asoftmax_4711/20261120150000_sheet-3.ipynb    feedback layouts

A late file has words before its name, in the server's language. The zip has Unix times. If ILIAS
writes a time before file names, it does so before all of them.

The zip for "Multi-Feedback" has one folder, whose name begins with `multi_feedback`, with a folder
for each person that ends in the person's number: ILIAS reads only that number.
https://github.com/ILIAS-eLearning/ILIAS (`getMultiFeedbackFiles`)
"""

import unicodedata
from collections.abc import Collection, Iterator
from dataclasses import replace
from datetime import datetime

from autograder.engine.verdict.verdict import STUDENT
from autograder.people.new_ids import slug
from autograder.people.roster import Person
from autograder.platforms.download import File
from autograder.platforms.feedback import feedback_page, zip_bytes
from autograder.platforms.grades import Grade
from autograder.platforms.platform import (
    ClassGrades,
    Contents,
    Format,
    HandedIn,
    Item,
    Layout,
    Platform,
)
from autograder.platforms.sample import InventedClass, Member, Sample
from autograder.text.patterns import Pattern
from autograder.text.wording import name_some

PLATFORM = "ilias"
ASIDE = "Feedback_files"  # beside the submissions: from one student to another
SUBMISSIONS = "Submissions", "Abgaben"  # the folder around all, in English and German
A_PERSON = r"(?P<name>[^_]+_.+)_(?P<login>[^_]+)_(?P<number>\d+)"
A_TEAM = r"(?i)(?P<team>(?:Team|Gruppe|Group|Équipe|Equipo)[ _]+\d+)"
PERSON, TEAM, EITHER = map(Pattern, (A_PERSON, A_TEAM, f"{A_PERSON}|{A_TEAM}"))
NUMBER = Pattern(r"[0-9]+")
FEEDBACK_ZIP = "multi_feedback"
TIME_AND_NAME = Pattern(r"(?s)(?P<time>\d{14})_(?P<name>.+)")


def _recognises(items: list[Item], around: str, assignment_id: str) -> bool:
    """Whether these items have names as ILIAS writes them: a person's folder; or only teams'
    folders, which hold persons' folders or lie in ILIAS's folder of submissions.

    `around` is the name of the folder that holds the items; `assignment_id` is not used.
    """
    folders = [item for item in items if item.is_folder]
    if any(PERSON.fullmatch(item.name) for item in folders):
        return True
    teams = bool(folders) and all(TEAM.fullmatch(item.name) for item in folders)
    return teams and (around in SUBMISSIONS or all(map(_holds_persons, folders)))


def _holds_persons(team: Item) -> bool:
    """Whether a team's folder holds nothing but folders named as ILIAS names a person's."""
    inner = [one.is_folder and PERSON.fullmatch(one.name) for one in team.below]
    return bool(inner) and all(inner)


def _sort_by_student(items: list[Item], assignment_id: str, known: Collection[str]) -> Contents:
    """Return one submission for each person's folder, and one for each team's folder that holds no
    persons' folders. `items`: these folders; `assignment_id` and `known` are not used.

    If persons' folders also lie beside the teams' folders, all files below a team's folder are the
    team's.
    """
    files = [file for item in items for file in item.files if not file.is_empty_folder]
    named = all(_named(file).written for file in files)  # else a student wrote what looks like one
    teams_only = all(item.said["team"] for item in items)
    handed_in = []
    for item in items:
        for one in item.below if teams_only and _holds_persons(item) else [item]:
            content = [_named(file) if named else file for file in one.files]
            handed_in.append(_handed_in(one.name, item.said["team"], content))
    return Contents(handed_in)


def _named(file: File) -> File:
    """Return the file with the time that ILIAS writes before its name, and the student's own file
    name; unchanged if there is no such time.
    """
    found = TIME_AND_NAME.fullmatch(file.name)
    if not found:
        return file
    try:
        written = datetime.strptime(found["time"], "%Y%m%d%H%M%S")
    except ValueError:
        return file
    return replace(file, student_name=found["name"], written=written)


def _handed_in(folder: str, team: str, files: list[File]) -> HandedIn:
    found = PERSON.fullmatch(folder)
    if not found:
        number = NUMBER.search(team)[0]
        person = Person(slug(team), team, platform=PLATFORM, number=f"team-{number}")
        return HandedIn(person, team, tuple(files), team=team)
    name = " ".join(reversed(found["name"].split("_", 1)))
    login, number = found["login"], found["number"]
    student = login if STUDENT.fullmatch(login) else slug(name, number) or slug(PLATFORM, number)
    person = Person(student, name, platform=PLATFORM, number=number)
    return HandedIn(person, folder, tuple(files), team=team)


def _feedback_zip(of_class: ClassGrades) -> tuple[list[bytes], list[str]]:
    """Return a list with the zip of feedback pages, and sentences on it and on the students whose
    number in ILIAS is not known.
    """
    found, unknown = of_class.by_name(_feedback_name)
    files = {name: of_class.parts[grades[-1].student] for name, grades in found.items()}
    said = [f"{len(files)} pages for ILIAS's Multi-Feedback."]
    if unknown:
        said.append(
            f"No feedback for ILIAS of {name_some(unknown)}: no number of theirs is known, or that "
            "of a team only. `collect` the download of ILIAS, and name that folder with --submitted."
        )
    return [zip_bytes(files)], said


def _feedback_name(grade: Grade) -> str:
    number = grade.number_at(PLATFORM)
    if not NUMBER.fullmatch(number):
        return ""
    return f"{FEEDBACK_ZIP}/{slug(grade.person.name) or 'student'}_{number}/feedback.html"


def _sample(invented: InventedClass) -> Iterator[Member]:
    top = f"{invented.assignment.replace('-', ' ').capitalize()}/Submissions"
    for one, notebook in zip(invented.people, invented.notebooks, strict=True):
        folder = f"{_ascii(one.last)}_{_ascii(one.first)}_{one.login}_{one.number}"
        late = "Late Submission - " if one.late else ""
        name = f"{top}/{folder}/{late}{invented.assignment}.ipynb"
        yield Member(name, notebook, one.handed_in, unix=True)


def _ascii(name: str) -> str:
    return unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()


RECORD = Platform(
    PLATFORM,
    (Layout(EITHER, _sort_by_student, _recognises, aside=ASIDE, times_in_zip=True),),
    Format(
        files=("ilias-feedback.zip",),
        part=lambda grade, of_class: feedback_page(of_class.course, grade),
        write=_feedback_zip,
        pages=True,
        manual=("a zip of pages", "*Multi-Feedback*"),
    ),
    Sample(_sample),
    manual=(
        "ILIAS",
        "*Download All Submissions*",
        "the names of files in it; `--timezone` is the server's zone",
    ),
)
