"""Marking schemes, which staff write into the solutions of manually graded cells.

They stand in `source/` alone, and nbgrader takes them out of the release. A student gets nothing that is
made of them, unless the course shows good answers after the deadline: see `good_answers.py`.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from autograder.engine import Assignment, GraderError, Pattern, courses

REGIONS = ("SOLUTION", "MARK SCHEME")  # nbgrader's: `### BEGIN SOLUTION` ... `### END SOLUTION`
EXAMPLES = Pattern(courses.EXAMPLE)
TITLE = Pattern(r"(?im)^(?:#+ *|\*\*)marking scheme\b")


@dataclass(frozen=True)
class ExampleAnswer:
    """An answer that staff wrote, with the course's points for it: markers try the scheme on it."""

    points: float
    text: str


@dataclass(frozen=True)
class Scheme:
    """The marking scheme of one cell, and an answer that gets all points."""

    kind: str  # of both: markdown or code
    scheme: str  # what points are given for
    answer: str  # one that earns them all; empty where the scheme is not told from it
    examples: tuple[ExampleAnswer, ...] = ()


def schemes(assignment: Assignment) -> dict[str, Scheme]:
    """Return the marking scheme of each manually graded cell, by cell name, from the assignment's
    source; {} if that cannot be read.

    In a Markdown solution, the scheme begins at the line `**Marking scheme**`, or at a heading that
    begins with these words, and the text before it is a good answer. Without such a title, and in
    code, the whole solution is the scheme.
    """
    try:
        cells = courses.read_cells(assignment.source)
    except (GraderError, OSError):
        return {}
    found = {}
    for cell in cells:
        text = "\n".join(_regions(cell.source)).strip()
        if cell.solution and cell.points:
            found[cell.id] = _split(cell.kind, text or cell.source)
        elif not cell.solution and not cell.check and text:  # nbgrader's "task"
            found[cell.id] = _split(cell.kind, text)
    return found


def _regions(source: str) -> Iterator[str]:
    """Yield the lines of a cell's source between nbgrader's marks for solutions and mark schemes."""
    inside = False
    for line in source.splitlines():
        if any(f"### BEGIN {name}" in line for name in REGIONS):
            inside = True
        elif any(f"### END {name}" in line for name in REGIONS):
            inside = False
        elif inside:
            yield line


def _split(kind: str, text: str) -> Scheme:
    """Split the text of a solution into marking scheme, good answer and examples, where their titles
    are; without the scheme's, what precedes the examples is the scheme. `kind`: markdown or code.
    """
    if kind != "markdown":
        return Scheme(kind, text, "")
    begins = [*EXAMPLES.finditer(text)]
    ends = [one.start() for one in begins[1:]] + [len(text)]
    examples = tuple(
        ExampleAnswer(float(one[1]), text[one.end() : end].strip())
        for one, end in zip(begins, ends, strict=False)
    )
    above = text[: begins[0].start()].strip() if begins else text
    title = TITLE.search(above)
    if title is None:
        return Scheme(kind, above, "", examples)
    return Scheme(kind, above[title.start() :], above[: title.start()].strip(), examples)
