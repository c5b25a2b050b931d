"""A results.json a student, as Gradescope reads it from an autograder.

Without a score there is no results.json: who has no grade is left out, never given 0.
"""

import json
import re
from collections import Counter
from collections.abc import Sequence

from autograder.export.grades import Grade, written
from autograder.report.check_cell import STATES, sentence
from autograder.verdict import ExerciseResult

VISIBILITY = "after_published"  # when a person has published the grades
FOLDER = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.@-]*")


def files(grades: Sequence[Grade]) -> dict[str, bytes]:
    """The files by name: <submission>/results.json, or <student>/ where no submission is known."""
    graded = [grade for grade in grades if grade.total is not None]
    taken = Counter(_number(grade) for grade in graded) + Counter(grade.student for grade in graded)
    made = {}
    for grade in graded:
        number = _number(grade)
        folder = number if number and taken[number] == 1 else grade.student
        content = json.dumps(results(grade), indent=1, ensure_ascii=False, allow_nan=False)
        made[f"{folder}/results.json"] = (content + "\n").encode()
    return made


def _number(grade: Grade) -> str:
    person = grade.person
    known = person.platform in ("gradescope", "") and FOLDER.fullmatch(person.number)
    return person.number if known else ""


def results(grade: Grade) -> dict:
    """The whole of one results.json; only what the verdict says, no hidden number."""
    tests = [test for result in grade.verdict.exercises for test in _tests(result)]
    mark = grade.mark
    if mark and (mark.by_hand or mark.max_points > grade.verdict.max_points):
        waiting = f"{mark.waiting} still to be marked." if mark.waiting else ""
        tests.append(
            _test("marked by hand", mark.by_hand, mark.max_points - grade.verdict.max_points)
            | {"output": waiting}
        )
    said = [f"{written(grade.total or 0)} of {written(grade.max_points)} points."]
    if mark is None:
        said = [f"Automatic points only, of {written(grade.max_points)}."]
    elif mark.penalty:
        said.append(f"Handed in late: {written(mark.penalty)} points less.")
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
            _test(f"{name}: {sentence(check.id)}", check.points, check.max_points)
            | {"status": "passed" if check.passed else "failed"}
            | {"output": "\n".join(filter(None, failed))}
        )
    return tests


def _test(name: str, score: float, max_score: float) -> dict:
    return {
        **{"name": name, "name_format": "text", "score": score, "max_score": max_score},
        **{"output_format": "text", "visibility": VISIBILITY},
    }
