"""Make the student version and the solution version of an assignment with nbgrader, and check both.

nbgrader's own commands exit with status 0 even if a solution fails, so its outputs are checked
here. Functions that make a version raise `NbGraderException` if nbgrader refuses.
"""

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import nbformat
from nbgrader.converters import GenerateAssignment, GenerateSolution

from autograder._commands import terminal
from autograder.authoring.exercise_table import overview_of
from autograder.authoring.leaks import leaks
from autograder.authoring.release_files import released_parts, released_text
from autograder.authoring.source_faults import source_faults
from autograder.authoring.toolbox_file import (
    FILE,
    set_up_is_stale,
    toolbox_source,
    write_set_up,
)
from autograder.authoring.visible_checks import checks_file
from autograder.engine import Assignment, AutograderError, Course, CourseError, courses
from autograder.gradebook.sync.cell_changes import CellChanges, compare_cells
from autograder.gradebook.sync.database import gradebook_of, open_session
from autograder.gradebook.sync.nbgrader_course import NbgraderCourse
from autograder.gradebook.sync.one_file import remove_figures

WELL = ("done", "filled")  # states of a check that found nothing wrong
UNKNOWN = "whether it takes the cells of this release is not checked"
CELL_SECONDS = 600  # for a training that takes 3, on a machine that is busy with other things


def release(assignment: Assignment) -> list[str]:
    """Make the assignment's folder in release/; return a sentence for each part of a solution that
    it would give away.

    If there are any, the earlier folder is kept unchanged.
    The cell `set_up` in the source is updated first, if it is out of date. Raises `CourseError` if
    release/ is not in the course's folder, and so another course's.
    """
    kept, course = assignment.release.parent, assignment.course
    if not course.release.resolve().is_relative_to(course.root.resolve()):
        raise CourseError(
            f"`{course.release}` is not in the course `{course.root}`, and is not written: run "
            "`release` in the course that it belongs to."
        )
    if faults := source_faults(assignment):
        return faults
    changes = changes_in_gradebook(assignment)
    if changes.refusal:
        return [changes.refusal]
    if changes.note:
        terminal.say(changes.note)
    source = _shown(assignment.source, assignment.course)
    if set_up_is_stale(assignment):
        write_set_up(assignment)
        terminal.say(f"{source}: the cell `set_up` is brought up to date.")
    with tempfile.TemporaryDirectory() as folder:
        made = make_release(assignment, Path(folder))
        complaints = leaks(made, assignment)
        if not complaints:
            _replace(kept, made)
            shown = _shown(kept, assignment.course)
            terminal.say(f"{shown}/ is made: publish this folder, and nothing else.")
    return complaints


def solution(assignment: Assignment) -> list[str]:
    """Make the assignment's folder in solution/ and execute the notebook in it; return a sentence
    for each cell that failed.
    """
    kept = assignment.course.root / "solution" / assignment.id
    with tempfile.TemporaryDirectory() as folder:
        _replace(kept, make_solution(assignment, Path(folder)))
    terminal.say(f"solution/{assignment.id}/ is made and executed.")
    return list(failures(kept / f"{assignment.id}.ipynb"))


def check_release(assignment: Assignment) -> list[str]:
    """Compare the release with what nbgrader would make now. Return a sentence for each file that
    is out of date, and for each part of a solution in the release; also if the gradebook would not
    take the cells of the source. Nothing is written.
    """
    if faults := source_faults(assignment):
        return faults
    refusal = changes_in_gradebook(assignment).refusal
    kept = assignment.release.parent
    shown = _shown(kept, assignment.course)
    if not assignment.release.is_file():
        return [refusal or f"{shown}/ is not made yet: {_how_to_release(assignment)}"]
    with tempfile.TemporaryDirectory() as folder:
        made = make_release(assignment, Path(folder))
        files = {file.relative_to(top) for top in (made, kept) for file in top.rglob("*")}
        stale = [
            f"{shown}/{file} is not what source/ makes: {_how_to_release(assignment)}"
            for file in sorted(files)
            if _content(made / file) != _content(kept / file)
        ]
    if set_up_is_stale(assignment):
        source = _shown(assignment.source, assignment.course)
        stale.insert(0, f"{source} has an old cell `set_up`: {_how_to_release(assignment)}")
    return ([refusal] if refusal else stale) + leaks(kept, assignment)


def changes_in_gradebook(assignment: Assignment) -> CellChanges:
    """Return how the cells of the source differ from those in the course's gradebook; no changes if
    there is no gradebook.

    Also none, after a sentence on the console, if the gradebook cannot be used.
    """
    try:
        if address := gradebook_of(assignment.course):
            source = nbformat.read(assignment.source, as_version=4)
            with open_session(address, UNKNOWN) as session:
                return compare_cells(session, assignment.id, source.cells)
    except AutograderError as error:
        terminal.say(str(error))
    return CellChanges(assignment.id, 0)


def make_release(assignment: Assignment, folder: Path) -> Path:
    """Make the student version in a folder below `folder`; return the path of the version's folder."""
    made = folder / "release"
    _own_course(assignment, folder).convert(
        GenerateAssignment, assignment, release_directory=str(made)
    )
    remove_figures(made / assignment.id)
    return made / assignment.id


def make_solution(assignment: Assignment, folder: Path) -> Path:
    """Make the executed solution in a folder below `folder`; return the path of the version's
    folder.

    It is executed beside the files that students have. Its last cell says that this is no notebook
    to hand in.
    """
    made, source = folder / "solution", folder / "source"
    released = make_release(assignment, folder)  # nbgrader executes solutions that it knows
    beside = source / assignment.id
    shutil.copytree(assignment.source.parent, beside)
    (beside / FILE).write_text(toolbox_source(), encoding="utf-8")
    if checks_file(assignment).is_file():
        parts = released_parts(courses.read_cells(released / f"{assignment.id}.ipynb"))
        # without fingerprints of cells: it is no file to hand in
        parts = parts._replace(cells=(), overview=overview_of(beside) or "")
        with (beside / checks_file(assignment).name).open("a", encoding="utf-8") as checks:
            checks.write(released_text(parts))
    _own_course(assignment, folder).convert(
        GenerateSolution, assignment, solution_directory=str(made), source_directory=str(source)
    )
    return made / assignment.id


def failures(path: Path) -> Iterator[str]:
    """Yield a sentence for each cell of the executed notebook at this path that raised, whose
    visible check failed, or that was not run.
    """
    for cell in nbformat.read(path, as_version=4).cells:
        if cell.cell_type != "code" or not cell.source.strip():
            continue
        for output in cell.outputs:
            if output.output_type == "error":
                yield f"{path.name}: the cell `{cell.id}` raised {output.ename}: {output.evalue}"
            elif output.get("metadata", {}).get("check", {}).get("state", "done") not in WELL:
                said = "".join(output.data["text/plain"]).partition("\n")[0]
                yield f"{path.name}: the cell `{cell.id}` says: {said}"
        if cell.execution_count is None:
            yield f"{path.name}: the cell `{cell.id}` was not run."


def _own_course(assignment: Assignment, folder: Path) -> NbgraderCourse:
    """Return the assignment's course with a temporary gradebook in `folder`, so that the course's
    own is not changed.
    """
    course = NbgraderCourse(assignment.course, f"sqlite:///{folder}/gradebook.db")
    course.config.Execute.timeout = CELL_SECONDS
    return course


def _replace(kept: Path, made: Path) -> None:
    """Replace the folder `kept` by a copy of the folder `made`. Raises `OSError`, also if `kept` is
    read-only.
    """
    if kept.exists() and not os.access(kept, os.W_OK):
        raise PermissionError(f"`{kept}` is read-only: make it writable, and run this again")
    shutil.rmtree(kept, ignore_errors=True)
    shutil.copytree(made, kept)
    kept.chmod(kept.stat().st_mode | 0o055)  # students read it


def _how_to_release(assignment: Assignment) -> str:
    """Return the end of a message: which command makes the release."""
    return f"run `python -m autograder release {assignment.id}`."


def _shown(path: Path, course: Course) -> str:
    """Return the path as messages show it: relative to the course's folder, or unchanged if it is
    not in that folder.
    """
    return str(path.relative_to(course.root) if path.is_relative_to(course.root) else path)


def _content(path: Path) -> bytes | None:
    """Return a file's bytes; None if there is no such file."""
    return path.read_bytes() if path.is_file() else None
