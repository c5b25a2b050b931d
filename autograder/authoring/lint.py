"""Find everything that is missing or wrong in an assignment, with a sentence for each fault.

The files are checked first. Then the solution, the mistakes and the variants are graded in this
process, without a sandbox: they are the course's own code.
"""

import math
import re
from collections import defaultdict
from collections.abc import Iterator

from autograder.authoring.contracts import contract_pieces
from autograder.authoring.edited import as_edited
from autograder.authoring.exercise_table import disagreements, exercise_table, overview_of
from autograder.authoring.lint_graders import grader_pieces
from autograder.authoring.parts import Parts, failures, read_parts
from autograder.authoring.visible_checks import declared_checks, failing_cells
from autograder.engine import Assignment, GraderError, courses, points_text

TODO = "TODO(author)"  # marks the gaps in a skeleton (a plain TODO is for students)
HEADING = re.compile(r"^#{1,6} +(.+)$", re.MULTILINE)
POINTS = re.compile(r"\((\d+(?:\.\d+)?) points?\)")
CALLED = re.compile(r"^toolbox\.check\(['\"](\w+)['\"]\)", re.MULTILINE)
Pieces = Iterator[str]


def missing_pieces(assignment: Assignment) -> Pieces:
    """Yield a sentence for each fault in the assignment and in its grading.

    It covers cells, files, mistakes, variants and visible checks. `publish.check_release` checks
    the release.
    """
    parts = read_parts(as_edited(assignment))
    for look in (_cells, _headings, grader_pieces, _todo, _cards, _visible_checks, contract_pieces):
        yield from look(parts)
    yield from failing_cells(parts.assignment)
    yield from failures(parts)


def _cells(parts: Parts) -> Pieces:
    """Yield a sentence for each solution cell without a check cell, and the other way round."""
    if not parts.exercises:
        yield "the notebook has no exercise yet: a solution cell and its check cell."
    for name in parts.assignment.solutions:
        if name not in parts.exercises:
            yield f"the solution cell `{name}` has no check cell `{courses.CHECK}{name}`."
    for name, exercise in parts.exercises.items():
        if name not in parts.assignment.solutions:
            yield f"the check cell `{exercise.check_cell}` has no solution cell `{name}`."


def _headings(parts: Parts) -> Pieces:
    """Yield a sentence for each heading with other points than the cells below it."""
    heading, worth = (-1, ""), defaultdict[tuple[int, str], float](float)
    for number, cell in enumerate(parts.assignment.cells):
        titles = HEADING.findall(cell.source) if cell.kind == "markdown" else ()
        if titles and not cell.solution:
            heading = number, titles[-1]
        if cell.solution and cell.id in parts.exercises:
            worth[heading] += parts.exercises[cell.id].points
        elif not cell.check:
            worth[heading] += cell.points  # graded by a person
    for (_, title), points in worth.items():
        match = POINTS.search(title)
        if match and points and not math.isclose(float(match[1]), points):
            yield (
                f"the heading `{title}` says {match[1]}, and the cells below it are worth "
                f"{points_text(points)}."
            )


def _cards(parts: Parts) -> Pieces:
    exercises = exercise_table(parts.assignment.cells)
    for id, exercise in exercises.items():
        if not exercise.minutes:
            yield f"no card above `{id}` says how many minutes it takes."
    if overview := overview_of(parts.assignment.source.parent):
        yield from disagreements(overview, exercises)


def _visible_checks(parts: Parts) -> Pieces:
    """Yield a sentence for each check that is called but not declared, or without an exercise."""
    try:
        declared = declared_checks(parts.assignment)
    except GraderError as error:
        yield f"{error}."
        return
    for cell in parts.assignment.cells:
        for name in CALLED.findall(cell.source) if cell.check else ():
            if name not in declared:
                yield f"the cell `{cell.id}` asks for a check `{name}`, which nothing declares."
    for name in declared:
        if name not in parts.exercises:
            yield f"a visible check is declared for `{name}`, which is no exercise."


def _todo(parts: Parts) -> Pieces:
    for cell in parts.assignment.cells:
        if TODO in cell.source:
            yield f"the cell `{cell.id}` still says {TODO}."
    folder = parts.assignment.graders
    for file in sorted(folder.rglob("*.py")):
        if TODO in file.read_text(encoding="utf-8"):
            yield f"`{file.relative_to(folder)}` still says {TODO}."
