"""Marking schemes, which staff write into the solutions of manually graded cells.

They exist only in `source/`, and nbgrader removes them from the release. Students never get
content made from them, unless the course shows good answers after the deadline: see
`good_answers.py`.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from autograder.engine import Assignment, GraderError, Pattern, courses

REGIONS = ("SOLUTION", "MARK SCHEME")  # nbgrader's: `### BEGIN SOLUTION` ... `### END SOLUTION`
EXAMPLES = Pattern(courses.EXAMPLE)
TITLE = Pattern(r"(?im)^(?:#+ *|\*\*)marking scheme\b")


@dataclass(frozen=True)
class ExampleAnswer:
    """An example answer by staff with its points, for markers to try the scheme on."""

    points: float
    text: str


@dataclass(frozen=True)
class Scheme:
    """The marking scheme of a cell, and an answer with full marks."""

    kind: str  # of both: markdown or code
    scheme: str  # criteria for points
    answer: str  # answer with full marks, empty if the text is not split
    examples: tuple[ExampleAnswer, ...] = ()


def schemes(assignment: Assignment) -> dict[str, Scheme]:
    """Return the marking scheme of each manually graded cell, by cell name. {} if the assignment's
    source cannot be read.

    In a Markdown solution, the scheme begins at the line `**Marking scheme**`, or at a heading
    that begins with these words, and the text before it is a good answer. Without such a title,
    and in code, the whole solution is the scheme.
    """
    try:
        cells = courses.read_cells(assignment.source)
    except (GraderError, OSError):
        return {}
    by_cell = {}
    for cell in cells:
        text = "\n".join(_regions(cell.source)).strip()
        if cell.solution and cell.points:
            by_cell[cell.id] = _split(cell.kind, text or cell.source)
        elif not cell.solution and not cell.check and text:  # nbgrader's "task"
            by_cell[cell.id] = _split(cell.kind, text)
    return by_cell


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
    """Split a solution at its titles into marking scheme, good answer and examples."""
    if kind != "markdown":
        return Scheme(kind, text, "")
    begins = [*EXAMPLES.finditer(text)]
    ends = [match.start() for match in begins[1:]] + [len(text)]
    examples = tuple(
        ExampleAnswer(float(match[1]), text[match.end() : end].strip())
        for match, end in zip(begins, ends, strict=False)
    )
    above = text[: begins[0].start()].strip() if begins else text
    title = TITLE.search(above)
    if title is None:
        return Scheme(kind, above, "", examples)
    return Scheme(kind, above[title.start() :], above[: title.start()].strip(), examples)
