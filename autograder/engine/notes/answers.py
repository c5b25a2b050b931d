"""Find the statements of a submission that answer an exercise, whatever cells they are in."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping

from autograder.engine.notebook.submission import Cell, Submission
from autograder.engine.notes.code import Statement, names_defined, read_cells
from autograder.text.patterns import Pattern

LINE_END = Pattern(r"\r\n?|\n")  # where Python sees one
MAX_CODE = 50_000  # characters of a student's own cells that are looked through, within a second
Cells = Mapping[str, list[Statement]]


def own_code(submission: Submission) -> list[Cell]:
    """Return the cells that run with code of the student's, without provided ones."""
    return [
        cell
        for cell in submission.runs
        if not (cell.provided or cell.id.endswith(" as released"))  # of one that was changed
    ]


def released_answers(submission: Submission) -> dict[str, str]:
    """Return the sources of the solution cells in the release, by id."""
    pristine = (cell.pristine for cell in submission.cells if cell.kind == "code")
    return {cell.id: cell.source for cell in pristine if cell and cell.solution}


def too_long(cells: Iterable[Cell]) -> set[str]:
    """Return the ids of the longest cells, as many as do not fit into MAX_CODE with the shorter
    ones.
    """
    found, room = set(), MAX_CODE
    for cell in sorted(cells, key=lambda cell: len(cell.source)):
        room -= len(cell.source)
        if room < 0:
            found.add(cell.id)
    return found


def find_answers(cells: Cells, released: Mapping[str, str]) -> dict[str, list[Statement]]:
    """Return the statements that answer each exercise.

    `cells`: the statements of the cells that could be parsed; `released`: the solution cells of the
    release. An answer consists of the statements that bind the names that the released cell binds,
    and of those that these use, except answers to other exercises.
    """
    names = {exercise: names_defined(source) for exercise, source in released.items()}
    definitions = defaultdict[str, list[Statement]](list)
    for statement in (one for cell in cells.values() for one in cell):
        for name in statement.names():
            definitions[name].append(statement)
    return {exercise: list(_answer(cells, exercise, definitions, names)) for exercise in names}


def _answer(
    cells: Cells,
    exercise: str,
    definitions: Mapping[str, list[Statement]],
    names: Mapping[str, frozenset[str]],
) -> Iterator[Statement]:
    """Yield the statements of one answer.

    Where none binds its names (`setattr` with a computed name, say), all statements of the
    exercise's cell.
    """
    own = names[exercise]
    todo = [name for name in own if name in definitions]
    seen = {name for others in names.values() for name in others} - own
    if not todo:
        yield from cells.get(exercise, ())
    done: set[int] = set()
    while todo:
        name = todo.pop()
        if name in seen:
            continue
        seen.add(name)
        for statement in definitions.get(name, ()):
            if id(statement) not in done:
                done.add(id(statement))
                yield statement
                todo += statement.used


def answering_code(submission: Submission) -> Iterator[tuple[str, str, str]]:
    """Yield (exercise, cell id, code): the lines of each cell that belong to the answer."""
    own = own_code(submission)
    long = too_long(own)
    cells = read_cells(cell for cell in own if cell.id not in long)
    for exercise, statements in find_answers(cells, released_answers(submission)).items():
        found = {id(one) for one in statements}
        for cell in own:
            some = [one for one in cells.get(cell.id, ()) if id(one) in found]
            if some and not cell.as_released:
                lines = LINE_END.split(cell.source)
                places = {n: None for one in some for n in range(*one.lines.indices(len(lines)))}
                yield exercise, cell.id, "\n".join(lines[n] for n in places)
