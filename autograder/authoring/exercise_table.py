"""The cell `exercises` of a notebook: what it says, and whether headings and solutions agree."""

import ast
import re
from collections.abc import Iterator, Sequence

from autograder.engine.assignment import Assignment, PristineCell
from autograder.toolbox.exercises import Exercise

CELL = "exercises"
HEADING = re.compile(
    r"#{1,6} +Exercise (?P<number>\w+) *[·:.-] *(?P<title>.+?) *\((?P<about>[^()]*)\) *"
)
TITLE = re.compile(r"^#{1,6} +.+$", re.MULTILINE)
POINTS = re.compile(r"([\d.]+) points?")


class NoTable(Exception):
    """The cell cannot be run; the message says why."""


def exercise_table(cells: Sequence[PristineCell]) -> dict[str, Exercise]:
    """Return the exercises as the notebook's own cell lists them; none without that cell.

    Raises `NoTable`.
    """
    text = next((cell.source for cell in cells if cell.id == CELL), "")
    names: dict = {"EXERCISES": {}, "Exercise": Exercise}
    try:
        exec(compile(text, CELL, "exec"), names)  # a cell of ours
    except Exception as error:  # whatever a mistyped table raises
        raise NoTable(f"the cell `{CELL}` cannot be run: {error!r}") from error
    return names["EXERCISES"]


def disagreements(assignment: Assignment) -> Iterator[str]:
    """Yield where the table and the rest of the notebook do not say the same, a sentence each."""
    cells = assignment.cells
    if not any(cell.id == CELL for cell in cells):
        return
    try:
        table = exercise_table(cells)
    except NoTable as error:
        yield f"{error}."
        return
    headings = dict(_headings(cells))
    for name in table:
        if name not in headings:
            yield f"the cell `{CELL}` lists `{name}`, and there is no such solution cell."
    for name, heading in headings.items():
        if name not in table:
            yield f"the cell `{CELL}` does not list the solution cell `{name}`."
            continue
        said = [*_differences(table[name], heading)]
        made = _defined(assignment.solutions.get(name, ""))
        missing = [one for one in table[name].defines if made is not None and one not in made]
        said += [f"defines `{one}`, and the solution cell does not" for one in missing]
        yield from (f"the cell `{CELL}` says that `{name}` {one}." for one in said)


def _headings(cells: Sequence[PristineCell]) -> Iterator[tuple[str, re.Match | None]]:
    """Each solution cell with the heading that it stands below."""
    heading = None
    for cell in cells:
        if cell.solution:
            yield cell.id, heading
        elif cell.kind == "markdown":
            titles = TITLE.findall(cell.source)
            heading = HEADING.fullmatch(titles[-1]) if titles else heading


def _differences(exercise: Exercise, heading: re.Match | None) -> Iterator[str]:
    if heading is None:
        return
    points = POINTS.search(heading["about"])
    if exercise.number != heading["number"]:
        yield f"is exercise {exercise.number}, and its heading {heading['number']}"
    if exercise.title != heading["title"]:
        yield f"is called “{exercise.title}”, and its heading “{heading['title']}”"
    if points and float(points[1]) != exercise.points:
        yield f"has {exercise.points} points, and its heading {points[1]}"


def _defined(solution: str) -> set[str] | None:
    """What a solution defines at its top; None where it is no Python, which is said elsewhere."""
    found = set()
    try:
        body = ast.parse(solution).body
    except SyntaxError:
        return None
    for node in body:
        if isinstance(node, ast.ClassDef | ast.FunctionDef):
            found.add(node.name)
        targets = node.targets if isinstance(node, ast.Assign) else ()
        found |= {one.id for one in targets if isinstance(one, ast.Name)}
    return found
