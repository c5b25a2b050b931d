"""Check a saved notebook in the way its own last cell does, but without running its code."""

from pathlib import Path

from autograder.authoring.release_files import released_parts
from autograder.engine.course.assignment import find_assignment
from autograder.engine.course.course import Course
from autograder.engine.course.which import cannot_tell, every, in_name, of_cells
from autograder.engine.notebook.reader import SubmittedCell, Unreadable, read_notebook
from autograder.toolbox.readiness import Report, report_on
from autograder.toolbox.saved_notebook import SavedCell


def check_file(path: Path, course: Course, assignment_id: str | None = None) -> tuple[str, Report]:
    """Return the id of the assignment that the notebook at this path is of, and the report on the
    notebook.

    `assignment_id`: the assignment, if it is known. Otherwise it is the assignment with most cells
    in the notebook; of several with equally many, the one in the file's name. Raises `Unreadable`
    if the file is no notebook or has no cell of the assignment; `CourseError` if there is no
    such assignment or several are possible; `GraderError` if the source of a possible assignment
    cannot be read.
    """
    cells = [_saved(cell) for cell in read_notebook(path)]
    names = [name for cell in cells for name in cell.names]
    candidates = [find_assignment(assignment_id, course)] if assignment_id else every(course)
    found = of_cells(names, candidates)
    if not found:
        for one in candidates:
            _ = one.cells  # a damaged source has none, and says so
        of = f"`{assignment_id}`" if assignment_id else "any assignment of this course"
        raise Unreadable(f"`{path.name}` has no cell of {of}; is it for another assignment?")
    named = in_name(path.name, [one.id for one in found])
    meant = [one for one in found if len(found) == 1 or [one.id] == named]
    if not meant:
        ids = [one.id for one in found]
        raise cannot_tell(f"`{path.name}` has as many cells of {' as of '.join(ids)}", ids)
    return meant[0].id, report_on(cells, released_parts(meant[0].cells))


def _saved(cell: SubmittedCell) -> SavedCell:
    """Return the cell in the form that the toolbox checks."""
    names = [name for name in (cell.grade_id, cell.id) if name]
    return SavedCell(cell.kind, cell.source, tuple(dict.fromkeys(names)))
