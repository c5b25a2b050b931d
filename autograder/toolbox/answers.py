"""Find which cell of a saved notebook is graded as the answer to an exercise, and answers that are
in other cells.
"""

from collections.abc import Iterator, Mapping, Sequence

from autograder.toolbox.exercises import ExerciseHeading, defines
from autograder.toolbox.released import CHECK_CELL, Released, title_of_cell
from autograder.toolbox.saved_notebook import SavedCell, fingerprint


def cell_of(name: str, cells: Sequence[SavedCell], released: Released) -> SavedCell | None:
    """Return the cell that is graded for the exercise `name`: the last one that defines what the
    exercise asks for; else the last one with the exercise's name; else the last one whose text is
    still that of the released cell. None if there is no such cell.

    `cells`: all of the notebook. Cells of other exercises are left out.
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
    """Whether the exercise's cell holds an answer: a text with at least one line that was not
    released, or code that differs from the released cell and is not only comments.

    `name`: the exercise.
    """
    lines = _lines_of(cell.source) - {""}
    if name in released.asked:
        return bool(lines - _lines_of(released.asked[name]))
    says_more = any(not line.startswith("#") for line in lines) or cell.kind != "code"
    return bool(lines) and says_more and fingerprint(cell.source) != released.cells.get(name)


def counted_elsewhere(
    name: str, cells: Sequence[SavedCell], released: Released
) -> SavedCell | None:
    """Return the cell that the student added and that is graded for the exercise `name`, although
    the exercise's own cell is in the notebook, too; None if there is none.

    `cells`: all of the notebook.
    """
    cell = cell_of(name, cells, released)
    own = cell if cell and _is_own(cell, released) else None
    return own if any(name in one.names for one in cells) else None


def misplaced(name: str, cells: Sequence[SavedCell], released: Released) -> SavedCell | None:
    """Return the last code cell without the exercise's name that defines what the exercise `name`
    asks for, although another cell is graded for it. None if there is no such cell, if the graded
    cell holds an answer that defines it, or if no cell is graded for the exercise.

    `cells`: all of the notebook.
    """
    counts, exercise = cell_of(name, cells, released), released.exercises[name]
    if counts is None:
        return None
    if is_written(name, counts, released) and defines(counts.source, exercise):
        return None
    others = [cell for cell in cells if cell.kind == "code" and name not in cell.names]
    return next((cell for cell in reversed(others) if defines(cell.source, exercise)), None)


def texts_beside(name: str, cells: Sequence[SavedCell], released: Released) -> Iterator[SavedCell]:
    """Yield the Markdown cells that the student added in the section of the exercise `name`; they
    may be an answer in the wrong place.

    `cells`: all of the notebook. A section begins at a heading of the assignment.
    """
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
    """Yield a sentence on what to do with each answer that is in a cell that is not graded.

    `cells`: all of the notebook; `states`: of the exercises, by name, as in `Report.states`.
    """
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
    """Return the sentence that tells the student to move the code in `cell` to the exercise's cell.
    `name`: the exercise; `where`: how to call its cell.
    """
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
    """Yield a sentence for each cell that the student added and that is graded, with the name of
    the cell it should be in.
    """
    for name, exercise in released.exercises.items():
        if cell := counted_elsewhere(name, cells, released):
            yield (
                f"Exercise {exercise.number}: your own cell `{first_line(cell)}` counts; its place is "
                f"the cell `{name}`."
            )


def first_line(cell: SavedCell) -> str:
    """Return the first line of a cell that is not blank, cut off after 60 characters; "" if all are
    blank.
    """
    lines = (line.strip() for line in cell.source.splitlines())
    return next((line for line in lines if line), "")[:60]


def _defines(cell: SavedCell, exercise: ExerciseHeading) -> bool:
    """Whether the cell is code that grading runs, and defines what the exercise asks for."""
    return cell.kind == "code" and not cell.skipped and defines(cell.source, exercise)


def _is_own(cell: SavedCell, released: Released) -> bool:
    """Whether the student added the cell: none of its names is in the release."""
    return not set(cell.names) & released.cells.keys()


def _lines_of(source: str) -> set[str]:
    """Return the different lines of a text, without white space around them."""
    return {line.strip() for line in source.splitlines()}
