"""Find the statements of a submission that answer an exercise, in any cell."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping

from autograder.engine.notebooks.submission import Cell, Submission
from autograder.engine.notes.code import Statement, names_defined, read_cells
from autograder.engine.texts.patterns import Pattern

LINE_END = Pattern(r"\r\n?|\n")  # a line end for Python
MAX_CODE = 50_000  # characters of a student's own cells; searching them takes a second
Cells = Mapping[str, list[Statement]]


def own_code(submission: Submission) -> list[Cell]:
    """Return the cells that are run and contain code of the student's: all but provided cells."""
    # "... as released": the released version of a cell that the student changed
    return [
        cell for cell in submission.runs if not (cell.provided or cell.id.endswith(" as released"))
    ]


def released_answers(submission: Submission) -> dict[str, str]:
    """Return the sources of the solution cells in the release, by id."""
    pristine = (cell.pristine for cell in submission.cells if cell.kind == "code")
    return {cell.id: cell.source for cell in pristine if cell and cell.solution}


def too_long(cells: Iterable[Cell]) -> set[str]:
    """Return the ids of the longest cells, so that the others have at most MAX_CODE characters."""
    excluded, room = set(), MAX_CODE
    for cell in sorted(cells, key=lambda cell: len(cell.source)):
        room -= len(cell.source)
        if room < 0:
            excluded.add(cell.id)
    return excluded


def find_answers(cells: Cells, released: Mapping[str, str]) -> dict[str, list[Statement]]:
    """Return the statements that answer each exercise, by its id.

    `cells`: the parsed statements of each cell, by cell id. `released`: the sources of the solution
    cells in the release, by id.

    An answer consists of the statements that bind a name which the exercise's released cell binds,
    and of those that bind a name which a statement of the answer uses, unless the released cell of
    another exercise binds that name.
    """
    names = {exercise: names_defined(source) for exercise, source in released.items()}
    definitions = defaultdict[str, list[Statement]](list)
    for statement in (statement for cell in cells.values() for statement in cell):
        for name in statement.names():
            definitions[name].append(statement)
    return {exercise: list(_answer(cells, exercise, definitions, names)) for exercise in names}


def _answer(
    cells: Cells,
    exercise: str,
    definitions: Mapping[str, list[Statement]],
    names: Mapping[str, frozenset[str]],
) -> Iterator[Statement]:
    """Yield the statements that answer an exercise.

    `definitions`: the statements that bind each name. `names`: the names that each released
    solution cell binds.
    """
    exercise_names = names[exercise]
    todo = [name for name in exercise_names if name in definitions]
    skipped = {name for bound in names.values() for name in bound} - exercise_names
    if not todo:
        yield from cells.get(exercise, ())  # as with `setattr` and a computed name
    yielded: set[int] = set()
    while todo:
        name = todo.pop()
        if name in skipped:
            continue
        skipped.add(name)
        for statement in definitions.get(name, ()):
            if id(statement) not in yielded:
                yielded.add(id(statement))
                yield statement
                todo += statement.used


def answering_code(submission: Submission) -> Iterator[tuple[str, str, str]]:
    """Yield (exercise, cell id, answering lines) for each cell with a part of an answer."""
    student_cells = own_code(submission)
    long = too_long(student_cells)
    cells = read_cells(cell for cell in student_cells if cell.id not in long)
    for exercise, statements in find_answers(cells, released_answers(submission)).items():
        statement_ids = {id(statement) for statement in statements}
        for cell in student_cells:
            answering = [
                statement for statement in cells.get(cell.id, ()) if id(statement) in statement_ids
            ]
            if answering and not cell.as_released:
                lines = LINE_END.split(cell.source)
                line_numbers = {
                    n: None
                    for statement in answering
                    for n in range(*statement.lines.indices(len(lines)))
                }
                yield exercise, cell.id, "\n".join(lines[n] for n in line_numbers)
