"""Give grades back to Gradescope: make `autograder.zip`, which hands each submission its result.

Gradescope reads a results.json from an autograder, and a score of 0 in it would count. So a student
without a grade gets no results.json.

`autograder.zip` hands over results that were computed here, and grades nothing itself. Students
hand in at Gradescope; the course downloads ("Export Submissions"), grades in its own sandbox, and
uploads this zip ("Configure Autograder"); "Regrade All Submissions" then gives each submission its
result. Gradescope's /autograder/submission_metadata.json has the number of the submission, the same
as in the export's folder names. The zip holds no grader, no solution and no student's name;
`run_autograder` runs no student code, which could read the results.

https://gradescope-autograders.readthedocs.io/en/latest/specs/
https://gradescope-autograders.readthedocs.io/en/latest/submission_metadata/
"""

import json
from pathlib import Path

from autograder.platforms.feedback import zip_bytes
from autograder.platforms.grades import Grade, decimal_text
from autograder.platforms.platform import ClassGrades, Format
from autograder.report.blocks.verdict_blocks import ExerciseBlocks, verdict_blocks
from autograder.text.patterns import Pattern
from autograder.text.wording import name_some

PLATFORM = "gradescope"
VISIBILITY = "after_published"  # when a person has published the grades
FOLDER = Pattern(r"[A-Za-z0-9][A-Za-z0-9_.@-]*")
TEMPLATES = Path(__file__).with_name("templates")
RUN, SETUP = "run_autograder", "setup.sh"
GRADED = "graded.json"
UPLOAD = (
    "Upload autograder.zip at Gradescope's Configure Autograder, then press Regrade All Submissions. A "
    "submission that has no grade gets no score: Gradescope says that the autograder failed, and its "
    "output tells you why."
)


def _write(of_class: ClassGrades) -> tuple[list[bytes], list[str]]:
    """Return a list with the content of `autograder.zip`, and sentences on it."""
    autograder, said = _autograder(of_class)
    return [zip_bytes(autograder, (RUN, SETUP))], said


def _autograder(of_class: ClassGrades) -> tuple[dict[str, bytes], list[str]]:
    """Return the files of `autograder.zip` by name, and the sentences to print about it."""
    by_number, unknown = of_class.by_name(lambda grade: _submission(grade, of_class))
    best = {
        number: max(group, key=lambda one: one.total or 0.0)
        for number, group in sorted(by_number.items())
    }
    graded = {one: of_class.parts[it.student] for one, it in best.items() if not it.no_grade}
    without = {number: grade.no_grade for number, grade in best.items() if grade.no_grade}
    content = {"assignment": of_class.assignment, "submissions": graded, "without": without}
    files = {
        SETUP: (TEMPLATES / "gradescope_setup.sh").read_bytes(),
        RUN: (TEMPLATES / "gradescope_run_autograder.py").read_bytes(),
        GRADED: _json(content),
    }
    return files, [f"{len(graded)} submissions are in autograder.zip.", *_said(by_number, unknown)]


def _json(content: dict) -> bytes:
    text = json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False)
    return f"{text}\n".encode("utf-8", "backslashreplace")


def _submission(grade: Grade, of_class: ClassGrades) -> str:
    """Return the number of the student's newest submission at Gradescope; "" if none is known."""
    file = of_class.received.get(grade.student)
    return file.submission if file and FOLDER.fullmatch(file.submission) else ""


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


def result_json(grade: Grade) -> dict:
    """Return the content of a student's results.json, as a dict in Gradescope's format. It has only
    what the student may see of the verdict.
    """
    blocks = verdict_blocks(grade.verdict, "student").values()
    tests = [test for one in blocks for test in _tests(one)]
    mark = grade.mark
    if mark and grade.marked_by_hand:
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


def _tests(blocks: ExerciseBlocks) -> list[dict]:
    """Return Gradescope's entry for each check of an exercise; a single one for the whole exercise
    if no check was run.
    """
    heading = blocks.heading
    said = [f"The exercise: {heading.state}."] if heading.state else []
    said += [mistake.text for mistake in blocks.of_kind("mistake")]
    if not blocks.checks:
        test = _test(heading.text, heading.points, heading.max_points)
        return [test | {"status": "failed", "output": "\n".join(said)}]
    tests = []
    for checks in blocks.checks:
        asked = [checks.question.text] if checks.question else []
        for one in checks.results:
            tests.append(
                _test(f"{heading.text}: {one.sentence}", one.points, one.max_points)
                | {"status": "passed" if one.passed else "failed"}
                | {"output": "" if one.passed else "\n".join([*asked, *said])}
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


def _part(grade: Grade, of_class: ClassGrades) -> dict:
    """Return the content of the student's results.json. Raises `ValueError` if it cannot be written
    as JSON.
    """
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
