"""Run the visible checks of an assignment's notebook on any solution, as for a student."""

import contextlib
import io
import linecache
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

import matplotlib

from autograder.authoring.exercise_table import exercise_table
from autograder.authoring.toolbox.exercises import Result
from autograder.authoring.toolbox.released import checks_module
from autograder.authoring.toolbox.telling import in_words
from autograder.authoring.toolbox_file import import_text, toolbox_module
from autograder.authoring.without_walls import quiet
from autograder.engine import Assignment, GraderError, courses, examiner


def checks_file(assignment: Assignment) -> Path:
    """Return the path in `source/` of an assignment's visible checks, which may not exist."""
    return assignment.source.parent / f"{checks_module(assignment.id)}.py"


def declared_checks(assignment: Assignment) -> dict[str, Any]:
    """Import an assignment's file of visible checks, and return its checks by exercise.

    Return {} without a file. Raises `GraderError` if it cannot be imported.
    """
    toolbox, file = toolbox_module(), checks_file(assignment)
    toolbox.CHECKS.clear()
    if file.is_file():
        try:
            import_text(file.stem, file.read_text(encoding="utf-8"), str(file))
        except Exception as error:  # its code may raise anything
            raise GraderError(f"`{file.name}` cannot be imported: {error!r}") from error
    return dict(toolbox.CHECKS)


class VisibleChecks:
    """The code cells of an assignment's source, to be run with any solution and checked.

    `run` executes the cells in order, with the requested checks. Cells that grading skips are left
    out, and so are the pictures that a failed check draws.
    """

    def __init__(self, assignment: Assignment):
        """Raises `GraderError` if the source or the file of visible checks cannot be read."""
        matplotlib.use("agg")
        self.assignment = assignment
        self.solutions = dict(assignment.solutions)
        self.declared = declared_checks(assignment)
        cells = courses.read_cells(assignment.source)
        self.table = exercise_table(assignment.cells)
        self.cells = {
            cell.id: cell.source for cell in cells if cell.kind == "code" and not cell.skipped
        }

    @property
    def exercises(self) -> list[str]:
        """The ids of the exercises that have a visible check."""
        return [id.removeprefix(courses.CHECK) for id in self.cells if id.startswith(courses.CHECK)]

    def run(self, cells: Mapping[str, str], *exercises: str, seed: int = 1) -> dict[str, Result]:
        """Run the notebook's cells in order, with `cells` (source by id) as its solutions.

        Return the results of the visible checks of `exercises`, by exercise. `seed`: of the checks'
        random numbers. If a cell raises, the cells after it are not run, and each check without a
        result gets a failing result with the exception in words.
        """
        space: dict[str, Any] = {"__name__": "__main__"}
        results = self._toolbox(seed).RESULTS
        with (
            contextlib.redirect_stdout(io.StringIO()),
            toolbox_module().notebook_is(space),
        ):
            try:
                self._run_in(space, cells, exercises)
            except Exception as error:
                raised = Result("failing", (), "", in_words(error))
                return {name: results.get(name, raised) for name in exercises}
        passed = Result("done")  # a check of plain assertions leaves no result
        return {name: results.get(name, passed) for name in exercises}

    def _toolbox(self, seed: int) -> ModuleType:
        """Return the toolbox, set to this assignment and seed, without results."""
        toolbox = toolbox_module()
        for registry, content in (
            (toolbox.CHECKS, self.declared),
            (toolbox.EXERCISES, self.table),
            (toolbox.RESULTS, {}),
        ):
            registry.clear()
            registry.update(content)
        vars(toolbox).update(SEED=seed, beside_target=lambda *_: None)
        return toolbox

    def _run_in(
        self, space: dict[str, Any], cells: Mapping[str, str], exercises: tuple[str, ...]
    ) -> None:
        """Execute the code cells in the namespace `space`, and the check cells of `exercises`.

        A solution cell that is not in `cells` (source by id) runs with the assignment's solution.
        """
        check_cells = {f"{courses.CHECK}{name}" for name in exercises}
        for id, source in self.cells.items():
            if not id.startswith(courses.CHECK) or id in check_cells:
                exec(_compiled(id, cells.get(id, self.solutions.get(id, source))), space)


def failing_cells(assignment: Assignment) -> Iterator[str]:
    """Run the notebook with its solution, and yield a sentence for each visible check that fails.

    Nothing is yielded if the file of visible checks cannot be imported, which `lint` reports.
    """
    with quiet(), examiner.undisturbed(), contextlib.chdir(assignment.source.parent):
        try:
            checks = VisibleChecks(assignment)
        except GraderError:
            return
        results = checks.run({}, *checks.exercises)
    for name, result in results.items():
        if result.state != "done":
            message = f"{result.question} {result.message}".strip().partition("\n")[0]
            yield f"the cell `{courses.CHECK}{name}` fails on the solution: {message}"


@lru_cache(maxsize=1000)
def _compiled(id: str, source: str) -> CodeType:
    """Compile a cell without notebook magics, such that tracebacks show its source lines."""
    text = "\n".join(
        "pass" if line.lstrip().startswith(("%", "!")) else line for line in source.splitlines()
    )
    file = f"<cell {id}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    return compile(text, file, "exec")
