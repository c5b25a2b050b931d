"""Which cell of a saved notebook is graded as the answer to an exercise, and answers that stand in
other cells.
"""

from collections.abc import Iterator, Mapping, Sequence

from autograder.toolbox.exercises import ExerciseHeading, defines
from autograder.toolbox.released import CHECK_CELL, Released, title_of_cell
from autograder.toolbox.saved_notebook import SavedCell, fingerprint


def cell_of(name: str, cells: Sequence[SavedCell], released: Released) -> SavedCell | None:
    """Return the cell that is graded for an exercise: the last that defines what is asked for; else
    the last with the exercise's name; else one with the text that the release has there.
    """
    named = [cell for cell in cells if name in cell.names]
    free = [cell for cell in cells if _is_own(cell, released)]
    exercise = released.exercises.get(name)
    defining = [
        cell
        for cell in cells
        if exercise and (cell in named[-1:] or cell in free) and _defines(cell, exercise)
    ]
    same = [cell for cell in free if fingerprint(cell.source) == released.cells.get(name)]
    return next(iter((defining or named or same)[-1:]), None)


def is_written(name: str, cell: SavedCell, released: Released) -> bool:
    """Whether a text differs from the release by at least one line, or code by more than comments."""
    lines = _lines_of(cell.source) - {""}
    if name in released.asked:
        return bool(lines - _lines_of(released.asked[name]))
    says_more = any(not line.startswith("#") for line in lines) or cell.kind != "code"
    return bool(lines) and says_more and fingerprint(cell.source) != released.cells.get(name)


def counted_elsewhere(
    name: str, cells: Sequence[SavedCell], released: Released
) -> SavedCell | None:
    """Return the student's own cell that is graded, although the exercise's cell is there, too."""
    cell = cell_of(name, cells, released)
    own = cell if cell and _is_own(cell, released) else None
    return own if any(name in one.names for one in cells) else None


def misplaced(name: str, cells: Sequence[SavedCell], released: Released) -> SavedCell | None:
    """Return the last other cell that defines what is asked for, where the graded cell does not."""
    counts, exercise = cell_of(name, cells, released), released.exercises[name]
    if counts is None:
        return None
    if is_written(name, counts, released) and defines(counts.source, exercise):
        return None
    others = [cell for cell in cells if cell.kind == "code" and name not in cell.names]
    return next((cell for cell in reversed(others) if defines(cell.source, exercise)), None)


def texts_beside(name: str, cells: Sequence[SavedCell], released: Released) -> Iterator[SavedCell]:
    """Yield the student's own Markdown cells in the section of an exercise."""
    section: list[SavedCell] = []
    for cell in cells:
        provided = fingerprint(cell.source) in released.texts
        if provided and cell.source.startswith("#"):
            if any(name in one.names for one in section):
                break
            section = []
        if not provided:
            section.append(cell)
    if any(name in cell.names for cell in section) and released.texts:
        yield from (one for one in section if one.kind == "markdown" and _is_own(one, released))


def in_other_cells(
    cells: Sequence[SavedCell], released: Released, states: Mapping[str, str]
) -> Iterator[str]:
    """Yield what to do with each answer that stands in a cell that is not graded."""
    for name, state in states.items():
        where = f"the cell of exercise {released.exercises[name].number}"
        if cell := misplaced(name, cells, released):
            yield _to_move(name, cell, where, released)
        if state != "open":
            continue
        for text in texts_beside(name, cells, released) if name in released.asked else ():
            yield (
                f"Your text `{first_line(text)}` is in a cell of its own, and {where} is still empty. "
                "If it is your answer, put it there."
            )


def _to_move(name: str, cell: SavedCell, where: str, released: Released) -> str:
    if _is_own(cell, released) and not cell.skipped:
        return (
            f"Your cell `{first_line(cell)}` is above {where}, which defines the same name again "
            "and is still open. Put your code into it."
        )
    asked = " or ".join(f"`{one}`" for one in released.exercises[name].defines)
    if cell.skipped or cell.names[0].startswith(CHECK_CELL):
        of = "a cell that grading skips" if cell.skipped else "the cell of a check"
        return f"{asked} stands in {of}, where nothing counts: move it into {where}."
    return (
        f"{asked} stands in the{title_of_cell(cell.names[0], released)[3:]}: move it into {where}."
    )


def own_cells_that_count(cells: Sequence[SavedCell], released: Released) -> Iterator[str]:
    """Yield which of the student's own cells are graded, and into which cell each belongs."""
    for name, exercise in released.exercises.items():
        if cell := counted_elsewhere(name, cells, released):
            yield (
                f"Exercise {exercise.number}: your own cell `{first_line(cell)}` counts; its place is "
                f"the cell `{name}`."
            )


def first_line(cell: SavedCell) -> str:
    """Return the first line of a cell that is not blank, shortened if it is long."""
    lines = (line.strip() for line in cell.source.splitlines())
    return next((line for line in lines if line), "")[:60]


def _defines(cell: SavedCell, exercise: ExerciseHeading) -> bool:
    return cell.kind == "code" and not cell.skipped and defines(cell.source, exercise)


def _is_own(cell: SavedCell, released: Released) -> bool:
    return not set(cell.names) & released.cells.keys()


def _lines_of(source: str) -> set[str]:
    return {line.strip() for line in source.splitlines()}
