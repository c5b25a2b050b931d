"""Gradescope's `autograder.zip`: it hands over results that were made here, and grades nothing itself.

Students hand in at Gradescope, the course downloads ("Export Submissions"), grades behind its own
walls, and uploads this zip ("Configure Autograder"); "Regrade All Submissions" then gives each
submission its result. Gradescope says in /autograder/submission_metadata.json which submission it is:
by the number that its export has in a folder's name. No grader and no solution is in the zip, and
nothing in it says who a student is; `run_autograder` starts no code of a student, who could read it.

https://gradescope-autograders.readthedocs.io/en/latest/specs/
https://gradescope-autograders.readthedocs.io/en/latest/submission_metadata/
"""

import json
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

from autograder.platforms.as_received import ReceivedFile
from autograder.platforms.grades import Grade
from autograder.platforms.gradescope import FOLDER, PLATFORM, result_json
from autograder.wording import name_some

TEMPLATES = Path(__file__).with_name("templates")
RUN, SETUP = "run_autograder", "setup.sh"
EXECUTABLE = (RUN, SETUP)
GRADED = "graded.json"
UPLOAD = (
    "Upload autograder.zip at Gradescope's Configure Autograder, then press Regrade All Submissions. A "
    "submission that has no grade gets no score: Gradescope says that the autograder failed, and its "
    "output tells you why."
)


def autograder_files(
    assignment: str, grades: Sequence[Grade], received: dict[str, ReceivedFile]
) -> tuple[dict[str, bytes], list[str]]:
    """Return the files of the zip by name, and what is to be said of it."""
    by_number: dict[str, list[Grade]] = defaultdict(list)
    unknown = []
    for grade in grades:
        if grade.verdict.state == "not_graded":
            continue
        number = _number(grade, received.get(grade.student))
        if number:
            by_number[number].append(grade)
        else:
            unknown.append(grade.student)
    best = {number: max(group, key=_total) for number, group in by_number.items()}
    of_each = sorted(best.items())
    results = {number: result_json(grade) for number, grade in of_each if not grade.no_grade}
    without = {number: grade.no_grade for number, grade in of_each if grade.no_grade}
    content = {"assignment": assignment, "submissions": results, "without": without}
    files = {
        SETUP: (TEMPLATES / "gradescope_setup.sh").read_bytes(),
        RUN: (TEMPLATES / "gradescope_run_autograder.py").read_bytes(),
        GRADED: (json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False) + "\n").encode(
            "utf-8", "backslashreplace"
        ),
    }
    return files, [f"{len(results)} submissions are in autograder.zip.", *_said(by_number, unknown)]


def _number(grade: Grade, file: ReceivedFile | None) -> str:
    """The number of the submission that was graded, or nothing."""
    person = grade.person
    known = person.number if person.platform == PLATFORM else ""
    number = file.number if file else known
    return number if FOLDER.fullmatch(number) else ""


def _total(grade: Grade) -> float:
    return grade.total or 0.0


def _said(by_number: dict[str, list[Grade]], unknown: list[str]) -> list[str]:
    said = [UPLOAD]
    if unknown:
        said.append(
            f"Not in autograder.zip: {name_some(unknown)}; no submission of theirs was collected "
            "from Gradescope. `collect` its export, and name that folder with --submitted."
        )
    for number, group in sorted(by_number.items()):
        if len({grade.total for grade in group}) > 1:
            said.append(
                f"Submission {number} is of {name_some([one.student for one in group])}, whose points differ; Gradescope "
                "keeps one score a submission: it is the highest, so change the others there."
            )
    return said
