"""Check a saved notebook like its own last cell does, but without running its code."""

from pathlib import Path

from autograder.authoring.release_files import released_parts
from autograder.authoring.toolbox.answers import place_saved
from autograder.authoring.toolbox.readiness import Report, report_on
from autograder.authoring.toolbox.saved_notebook import NoNotebook, SavedCell
from autograder.engine import Course, Unreadable, courses, find_assignment, notebooks


def check_file(path: Path, course: Course, assignment_id: str | None = None) -> tuple[str, Report]:
    """Return the id of the assignment of a notebook, and the report on the notebook.

    Without `assignment_id`, it is the assignment with most cells in the notebook. If several have
    equally many, the file's name decides. Raises `Unreadable` if the file is not a notebook or has
    no cell of the assignment, `CourseError` if there is no such assignment or several are possible,
    and `GraderError` if the source of a possible assignment cannot be read.
    """
    cells = notebooks.read_notebook(path)
    names = [name for cell in cells for name in cell.names]
    candidates = (
        [find_assignment(assignment_id, course)] if assignment_id else courses.every(course)
    )
    fitting = courses.of_cells(names, candidates) or [
        assignment for assignment in candidates if notebooks.is_of(assignment, cells)
    ]
    if not fitting:
        owner = f"`{assignment_id}`" if assignment_id else "any assignment of this course"
        raise Unreadable(f"`{path.name}` has no cell of {owner}; is it for another assignment?")
    named_ids = courses.in_name(path.name, [assignment.id for assignment in fitting])
    matching = [
        assignment for assignment in fitting if len(fitting) == 1 or [assignment.id] == named_ids
    ]
    if not matching:
        ids = [assignment.id for assignment in fitting]
        raise courses.cannot_tell(f"`{path.name}` has as many cells of {' as of '.join(ids)}", ids)
    released = released_parts(matching[0].cells)
    saved = [SavedCell(cell.kind, cell.source, cell.names) for cell in cells]
    try:
        return matching[0].id, report_on(place_saved(saved, released, path.name), released)
    except NoNotebook as error:
        raise Unreadable(str(error)) from error
