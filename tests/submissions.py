"""What tests share about submissions: limits, looking into verdicts, changing a notebook file."""

import json
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from autograder import Assignment, ExerciseResult, Verdict
from autograder.engine.limits import Limits
from autograder.engine.verdicts import verdict_files

if TYPE_CHECKING:
    from autograder.gradebook.sync.nbgrader_course import NbgraderCourse

SHORT = Limits(cell_seconds=4, request_seconds=4, cells_seconds=20, exercises_seconds=40)
UNDIAGNOSED = replace(SHORT, diagnosis_seconds=0)  # where nobody asks which mistake it was


def exercise(verdict: Verdict, name: str) -> ExerciseResult:
    return next(result for result in verdict.exercises if result.id == name)


def lost(verdict: Verdict) -> dict[str, float]:
    """Points lost, by exercise, where any were."""
    gaps = {result.id: result.max_points - result.points for result in verdict.exercises}
    return {name: gap for name, gap in gaps.items() if gap}


def verdicts(course: Path, assignment: str) -> dict[str, dict]:
    """What is in a course's results, by student."""
    files = verdict_files(course / "results" / assignment)
    return {file.stem: json.loads(file.read_text()) for file in files}


def edit(notebook: Path, change: Callable[[dict], object]) -> Path:
    """Change a notebook's JSON in place."""
    content = json.loads(notebook.read_text())
    change(content)
    notebook.write_text(json.dumps(content))
    return notebook


def hand_in_comments(
    assignment: Assignment, submitted: Path, students: Iterable[str]
) -> dict[str, Path]:
    """Hand in the release for each student, with a comment of their own in place of the first answer.

    Return the notebooks by student.
    """
    content = json.loads(assignment.release.read_text())
    (cell,) = (cell for cell in content["cells"] if cell["id"] == assignment.exercises[0].id)
    made = {}
    for student in students:
        made[student] = submitted / student / assignment.id / f"{assignment.id}.ipynb"
        made[student].parent.mkdir(parents=True)
        cell["source"] = f"# {student}"
        made[student].write_text(json.dumps(content))
    return made


def full_marks(assignment: Assignment) -> float:
    """All automatic points."""
    return sum(exercise.points for exercise in assignment.exercises)


def entered_points(
    gradebook: "NbgraderCourse", assignment: Assignment, student: str
) -> float | None:
    """A student's automatic points, or None if the gradebook has no such submission."""
    from autograder.gradebook.sync.tables import read_marks

    marks = read_marks(gradebook.db_url, assignment.id).get(student)
    return marks.automatic if marks else None


def marked_by_hand(assignment: Assignment) -> str:
    """A cell that a person marks."""
    solutions = (cell for cell in assignment.cells if cell.solution)
    return next(cell.id for cell in solutions if cell.kind == "markdown")
