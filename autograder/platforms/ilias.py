"""ILIAS's download of all submissions of an exercise: a folder a person, perhaps in a team's.

    Sheet 3/Submissions/Softmax_Ada_asoftmax_4711/sheet-3.ipynb
    Sheet 3/Abgaben/Team 12/Softmax_Ada_asoftmax_4711/sheet-3.ipynb   who uploaded it
    Sheet 3/Abgaben/Team 12/Ada Softmax/sheet-3.ipynb                 by name only
    Team_12/Softmax_Ada_asoftmax_4711/20261120150000_sheet-3.ipynb    feedback layouts

What is late has words before its name, in the server's language. ILIAS packs with Unix times. Where it
writes a time before the names of files, it does so before all of them.

The zip for "Multi-Feedback" has one folder, whose name begins with `multi_feedback`, with a folder a
person that ends in the person's number: ILIAS reads that number, and nothing else of the name.
https://github.com/ILIAS-eLearning/ILIAS (`getMultiFeedbackFiles`)
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from autograder.engine.verdict import STUDENT
from autograder.patterns import Pattern
from autograder.people import Person, slug
from autograder.platforms.download import Contents, File, HandedIn, without_student
from autograder.platforms.feedback import feedback_page
from autograder.platforms.grades import Grade
from autograder.wording import name_some

PLATFORM = "ilias"
DEEPEST = 5
FEEDBACK = "Feedback_files"  # from one student to another
PERSON = Pattern(r"(?P<name>[^_]+_.+)_(?P<login>[^_]+)_(?P<number>\d+)")
TEAM = Pattern(r"(?i)(?P<team>(?:Team|Gruppe|Group|Équipe|Equipo)[ _]+\d+)")
NUMBER = Pattern(r"[0-9]+")
FEEDBACK_ZIP = "multi_feedback"
TIME_AND_NAME = Pattern(r"(?s)(?P<time>\d{14})_(?P<name>.+)")


def recognises(file: File, assignment_id: str) -> bool:
    """Whether a file is in a folder that ILIAS names after a person or a team, or is feedback."""
    return any(_team_and_folder(file)) or FEEDBACK in file.parts


def sort_by_student(files: list[File], assignment_id: str) -> Contents:
    """Sort the files by the person who uploaded them, else by team."""
    by_owner: dict[tuple[str, str], list[File]] = defaultdict(list)
    theirs = [file for file in files if any(_team_and_folder(file)) and not file.is_empty_folder]
    named = all(_named(file).written for file in theirs)  # else a student wrote what looks like one
    for file in files:
        team, folder = _team_and_folder(file)
        one = _named(file) if named else file
        if folder:
            by_owner[team if not PERSON.fullmatch(folder) else "", folder].append(one)
        elif team:
            by_owner[team, ""].append(one)
    teams = {folder: team for team, folder in map(_team_and_folder, files) if folder and team}
    handed_in = [
        _handed_in(folder, team or teams.get(folder, ""), content)
        for (team, folder), content in by_owner.items()
    ]
    others = [file for file in files if not recognises(file, assignment_id)]
    return Contents(handed_in, without_student(others))


def _team_and_folder(file: File) -> tuple[str, str]:
    """The team's folder and the person's folder that a file is in, "" where there is none."""
    team = ""
    if FEEDBACK in file.parts:
        return "", ""
    for part in file.parts[:-1][:DEEPEST]:
        if PERSON.fullmatch(part):
            return team, part
        found = TEAM.fullmatch(part)
        team = team or (found["team"] if found else "")
    return team, ""


def _named(file: File) -> File:
    """The file with the student's name of it, where ILIAS writes the time before that."""
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


def feedback_files(grades: Sequence[Grade], course: Path) -> tuple[dict[str, bytes], list[str]]:
    """Return the pages by their names in the zip, and a sentence on those whom ILIAS does not know."""
    files, unknown = {}, []
    for grade in grades:
        person = grade.person
        if grade.verdict.state == "not_graded":
            continue
        if person.platform in (PLATFORM, "") and NUMBER.fullmatch(person.number):
            folder = f"{FEEDBACK_ZIP}/{slug(person.name) or 'student'}_{person.number}"
            files[f"{folder}/feedback.html"] = feedback_page(course, grade)
        else:
            unknown.append(grade.student)
    if not unknown:
        return files, []
    return files, [
        f"No feedback for ILIAS of {name_some(unknown)}: no number of theirs is known, or that of a "
        "team only. `collect` the download of ILIAS, and name that folder with --submitted."
    ]
