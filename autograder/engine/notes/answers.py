"""Which statements of a submission make the answer to an exercise, in whatever cells they are."""

from collections import defaultdict
from collections.abc import Iterator, Mapping

from autograder.engine.notes.code import Statement, names_defined

Cells = Mapping[str, list[Statement]]


def find_answers(cells: Cells, released: Mapping[str, str]) -> dict[str, list[Statement]]:
    """Return the statements that answer each exercise, of the cells that could be read.

    `released` are the solution cells as students got them: an answer is what binds the names that
    they bind, and whatever it uses in turn, but for the answers of other exercises.
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

    Where nothing binds its names, as if by a name that is put together, all of its cell.
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
