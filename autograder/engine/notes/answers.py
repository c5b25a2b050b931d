"""Find the statements of a submission that answer an exercise, in whatever cells they are."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping

from autograder.engine.notebooks.submission import Cell, Submission
from autograder.engine.notes.code import Statement, names_defined, read_cells
from autograder.engine.texts.patterns import Pattern

LINE_END = Pattern(r"\r\n?|\n")  # where Python sees one
MAX_CODE = 50_000  # characters of a student's own cells that are looked through, within a second
Cells = Mapping[str, list[Statement]]


def own_code(submission: Submission) -> list[Cell]:
    """Return the cells that are run and contain code of the student's: all but provided ones."""
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
    """Return the ids of cells that are not searched: the longest ones, so that the others have at
    most MAX_CODE characters together.
    """
    found, room = set(), MAX_CODE
    for cell in sorted(cells, key=lambda cell: len(cell.source)):
        room -= len(cell.source)
        if room < 0:
            found.add(cell.id)
    return found


def find_answers(cells: Cells, released: Mapping[str, str]) -> dict[str, list[Statement]]:
    """Return the statements that answer each exercise, by its id. `cells`: the statements of each
    cell that could be parsed, by cell id; `released`: the sources of the solution cells in the
    release, by id.

    An answer consists of the statements that bind a name which the exercise's released cell binds,
    and of those that bind a name which a statement of the answer uses, unless the released cell of
    another exercise binds that name.
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
    """Yield the statements that answer one exercise.

    `definitions`: the statements that bind each name; `names`: the names that each released
    solution cell binds. If no statement binds the names of this exercise (because of `setattr` with
    a computed name, say), yield all statements of its cell.
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
    """Yield (exercise, cell id, code) for each cell with statements that answer an exercise; the
    code is the lines of these statements.
    """
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
