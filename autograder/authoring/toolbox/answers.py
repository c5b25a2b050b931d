"""Find the answers in a saved notebook like grading does, and texts and code that do not count."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from autograder.authoring.toolbox.released import CHECK_CELL, Released, title_of_cell
from autograder.authoring.toolbox.saved_notebook import NoNotebook, SavedCell
from autograder.engine.placing import (
    ANSWER,
    CHECK,
    Placement,
    ReleasedCell,
    is_prose,
    names_defined,
    place,
    says_more,
)


class PlacedCells(NamedTuple):
    """The cells of a saved notebook as grading sees them, in its order.

    Each cell has the kind of its released cell, and that cell's id as its only name. Copies of
    released cells are left out, and so are open cells of exercises that another cell answers.
    """

    cells: list[SavedCell]
    answers: dict[str, list[SavedCell]]  # by exercise
    texts: dict[int, SavedCell]  # texts without an exercise, by index in the saved notebook
    placement: Placement  # with the same indices


def place_saved(cells: Sequence[SavedCell], released: Released, name: str = "") -> PlacedCells:
    """Return the cells of a saved notebook as grading sees them.

    Raises `NoNotebook` if they are not of this assignment. `name`: of the file, for the message.
    """
    placement = place(released.cells, cells)
    if not placement.cells:
        raise NoNotebook(f"`{name}` has no cell of this assignment: is it the right file?")
    kinds = {cell.id: cell.kind for cell in released.cells}
    ids = {index: id for id, index in placement.cells.items()}
    ids.update({index: id for id, parts in placement.parts.items() for index in parts})
    order = {index: place for place, (_, index) in enumerate(placement.order)}
    own_cells = [index for id, index in placement.order if not id]
    open_cells = {
        placement.cells[cell.id]
        for cell in released.cells
        if cell.id in placement.answers
        and cell.id in placement.cells
        and not says_more(cells[placement.cells[cell.id]].source, cell)
    }
    placed = {
        index: cell._replace(
            kind=kinds[ids[index]] if index in ids else cell.kind,
            names=(ids[index],) if index in ids else (),
            skipped=cell.skipped and index in ids,  # grading runs all cells that the student added
        )
        for index, cell in sorted(enumerate(cells), key=lambda pair: order.get(pair[0], -1))
        if (index in ids or index in own_cells) and index not in open_cells
    }
    indices = {**placement.parts, **{name: [i] for name, i in placement.answers.items()}}
    return PlacedCells(
        list(placed.values()),
        {
            name: [placed[index] for index in answer_indices]
            for name, answer_indices in indices.items()
        },
        {index: cells[index] for index in own_cells if is_prose(cells[index])},
        placement,
    )


def is_missing(name: str, notebook: PlacedCells) -> bool:
    """Whether the notebook has neither the cell of the exercise `name` nor an answer to it."""
    return name not in notebook.placement.cells and not notebook.answers.get(name)


def misplaced(name: str, notebook: PlacedCells, released: Released) -> SavedCell | None:
    """Return the ungraded cell that answers the exercise `name`, if nothing else does.

    It is the cell of a check, or a cell that grading skips.
    """
    if notebook.answers.get(name):
        return None
    (solution_cell,) = (cell for cell in released.cells if cell.id == name)
    for cell in reversed(notebook.cells):
        ungraded = cell.skipped or (cell.names[:1] and cell.names[0].startswith(CHECK_CELL))
        if ungraded and names_defined(cell.source) & set(solution_cell.defines):
            return cell
    return None


def in_other_cells(
    notebook: PlacedCells, released: Released, states: Mapping[str, str]
) -> Iterator[str]:
    """Yield a sentence for each answer in a cell that is not graded.

    `states`: of the exercises, by name, as in `Report.states`.
    """
    for name, exercise in released.exercises.items():
        if cell := misplaced(name, notebook, released):
            answer = " or ".join(f"`{name}`" for name in exercise.defines)
            location = "a cell that grading skips" if cell.skipped else "the cell of a check"
            yield (
                f"{answer} stands in {location}, where nothing counts: move it into the cell of exercise "
                f"{exercise.number}."
            )
        for text in _texts_beside(name, notebook, released) if states[name] == "open" else ():
            yield (
                f"Your text `{first_line(text)}` is in a cell of its own, and the cell of exercise "
                f"{exercise.number} is still empty. If it is your answer, put it there."
            )


def _texts_beside(name: str, notebook: PlacedCells, released: Released) -> Iterator[SavedCell]:
    """Yield the unclaimed texts beside the cell of a written exercise.

    They lie between the answers and checks above and below it.
    """
    index = [cell.id for cell in released.cells].index(name)
    counting = [
        [notebook.placement.cells[cell.id] for cell in cells if _counts(cell, notebook)]
        for cells in (released.cells[:index], released.cells[index + 1 :])
    ]
    low, high = (
        max(counting[0], default=-1),
        min(counting[1], default=max(notebook.texts, default=0) + 1),
    )
    if released.exercises[name].by_hand:
        yield from (text for text_index, text in notebook.texts.items() if low < text_index < high)


def _counts(cell: ReleasedCell, notebook: PlacedCells) -> bool:
    """Whether this is an answer or a check that is in the notebook."""
    return cell.role in (ANSWER, CHECK) and cell.id in notebook.placement.cells


def own_cells_that_count(notebook: PlacedCells, released: Released) -> Iterator[str]:
    """Yield a sentence for each graded cell that the student added, with the proper cell's name."""
    for name, exercise in released.exercises.items():
        answer = notebook.answers.get(name, ())
        if answer and not answer[0].names:
            yield (
                f"Exercise {exercise.number}: your own cell `{first_line(answer[0])}` counts; its "
                f"place is the cell `{name}`."
            )
        elif answer and name not in answer[0].names:
            cell_title = title_of_cell(answer[0].names[0], released)
            yield f"Exercise {exercise.number}: what stands in {cell_title.lower()} counts."


def first_line(cell: SavedCell) -> str:
    """Return the first line of a cell that is not blank, cut off after 60 characters, or ""."""
    lines = (line.strip() for line in cell.source.splitlines())
    return next((line for line in lines if line), "")[:60]
