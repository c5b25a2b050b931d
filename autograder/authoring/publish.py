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

WELL = ("done", "filled")  # states of a check that passed
UNKNOWN = "whether it takes the cells of this release is not checked"
CELL_SECONDS = 600  # a training takes 3, but the machine may be busy


def release(assignment: Assignment) -> list[str]:
    """Make the assignment's folder in release/. Return a sentence for each leaked solution.

    If there are leaks, the earlier folder is kept unchanged. An outdated cell `set_up` in the
    source is updated first. Raises `CourseError` if release/ belongs to another course.
    """
    folder, course = assignment.release.parent, assignment.course
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
    with tempfile.TemporaryDirectory() as temporary:
        new_folder = make_release(assignment, Path(temporary))
        complaints = leaks(new_folder, assignment)
        if not complaints:
            _replace(folder, new_folder)
            shown_folder = _shown(folder, assignment.course)
            terminal.say(f"{shown_folder}/ is made: publish this folder, and nothing else.")
    return complaints


def solution(assignment: Assignment) -> list[str]:
    """Make and execute the assignment's folder in solution/. Return a sentence for each failure."""
    folder = assignment.course.root / "solution" / assignment.id
    with tempfile.TemporaryDirectory() as temporary:
        _replace(folder, make_solution(assignment, Path(temporary)))
    terminal.say(f"solution/{assignment.id}/ is made and executed.")
    return list(failures(folder / f"{assignment.id}.ipynb"))


def check_release(assignment: Assignment) -> list[str]:
    """Compare the release with the output that nbgrader would make now. Nothing is written.

    Return a sentence for each outdated file, for each leaked solution, and if the gradebook would
    refuse the cells of the source.
    """
    if faults := source_faults(assignment):
        return faults
    refusal = changes_in_gradebook(assignment).refusal
    released = assignment.release.parent
    shown_folder = _shown(released, assignment.course)
    if not assignment.release.is_file():
        return [refusal or f"{shown_folder}/ is not made yet: {_how_to_release(assignment)}"]
    with tempfile.TemporaryDirectory() as temporary:
        new_folder = make_release(assignment, Path(temporary))
        files = {file.relative_to(top) for top in (new_folder, released) for file in top.rglob("*")}
        stale = [
            f"{shown_folder}/{file} is not what source/ makes: {_how_to_release(assignment)}"
            for file in sorted(files)
            if _content(new_folder / file) != _content(released / file)
        ]
    if set_up_is_stale(assignment):
        source = _shown(assignment.source, assignment.course)
        stale.insert(0, f"{source} has an old cell `set_up`: {_how_to_release(assignment)}")
    return ([refusal] if refusal else stale) + leaks(released, assignment)


def changes_in_gradebook(assignment: Assignment) -> CellChanges:
    """Compare the cells of the source with those in the course's gradebook.

    Return no changes without a gradebook, or, after a sentence on the console, if it cannot be
    used.
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
    """Make the student version below `folder`, and return the path of the version's folder."""
    releases = folder / "release"
    _own_course(assignment, folder).convert(
        GenerateAssignment, assignment, release_directory=str(releases)
    )
    remove_figures(releases / assignment.id)
    return releases / assignment.id


def make_solution(assignment: Assignment, folder: Path) -> Path:
    """Make the executed solution below `folder`, and return the path of the version's folder.

    It is executed beside the files that students have. Its last cell says that it must not be
    submitted.
    """
    solutions, source = folder / "solution", folder / "source"
    # nbgrader only executes solutions of assignments that it knows.
    released = make_release(assignment, folder)
    source_folder = source / assignment.id
    shutil.copytree(assignment.source.parent, source_folder)
    (source_folder / FILE).write_text(toolbox_source(), encoding="utf-8")
    if checks_file(assignment).is_file():
        parts = released_parts(courses.read_cells(released / f"{assignment.id}.ipynb"))
        # Without fingerprints of cells, its last cell offers no check of a file to submit.
        parts = parts._replace(cells=(), overview=overview_of(source_folder) or "")
        with (source_folder / checks_file(assignment).name).open("a", encoding="utf-8") as checks:
            checks.write(released_text(parts))
    _own_course(assignment, folder).convert(
        GenerateSolution,
        assignment,
        solution_directory=str(solutions),
        source_directory=str(source),
    )
    return solutions / assignment.id


def failures(path: Path) -> Iterator[str]:
    """Yield a sentence for each cell of an executed notebook that failed or was not run.

    A cell fails if it raised an exception, or if its visible check did not pass.
    """
    for cell in nbformat.read(path, as_version=4).cells:
        if cell.cell_type != "code" or not cell.source.strip():
            continue
        for output in cell.outputs:
            if output.output_type == "error":
                yield f"{path.name}: the cell `{cell.id}` raised {output.ename}: {output.evalue}"
            elif output.get("metadata", {}).get("check", {}).get("state", "done") not in WELL:
                message = "".join(output.data["text/plain"]).partition("\n")[0]
                yield f"{path.name}: the cell `{cell.id}` says: {message}"
        if cell.execution_count is None:
            yield f"{path.name}: the cell `{cell.id}` was not run."


def _own_course(assignment: Assignment, folder: Path) -> NbgraderCourse:
    """Return the course with a temporary gradebook, so that its own gradebook is not changed."""
    course = NbgraderCourse(assignment.course, f"sqlite:///{folder}/gradebook.db")
    course.config.Execute.timeout = CELL_SECONDS
    return course


def _replace(target: Path, new_folder: Path) -> None:
    """Replace the folder `target` by a copy of the folder `new_folder`."""
    if target.exists() and not os.access(target, os.W_OK):
        raise PermissionError(f"`{target}` is read-only: make it writable, and run this again")
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(new_folder, target)
    target.chmod(target.stat().st_mode | 0o055)  # students read it


def _how_to_release(assignment: Assignment) -> str:
    return f"run `python -m autograder release {assignment.id}`."


def _shown(path: Path, course: Course) -> str:
    """Return the path as messages show it: relative to the course's folder, if it is in it."""
    return str(path.relative_to(course.root) if path.is_relative_to(course.root) else path)


def _content(path: Path) -> bytes | None:
    return path.read_bytes() if path.is_file() else None
