"""An assignment as the staff made it: its two folders, the pristine notebook, the exercises.

source/<assignment>/<assignment>.ipynb    edited by hand. nbgrader makes release/ from it. Before the
                                          first release, this package does so in memory.
graders/<assignment>/                     a Python package: `test_<exercise>.py` for each exercise,
                                          and optionally `reference.py`, `mistakes/`, `variants/`,
                                          and in `__init__.py` ALIASES, LIBRARY_PARTS and
                                          `look_around`
"""

import importlib
import inspect
import textwrap
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

from autograder.engine.courses.cells import (
    BEGIN,
    CHECK,
    END,
    GraderError,
    PristineCell,
    cells_in,
    figures_in,
    read_cells,
    released_cell,
)
from autograder.engine.courses.course import Course, CourseError, find_course, read_course
from autograder.engine.courses.holes import MarkedCell, read_marked_cell
from autograder.engine.courses.package import import_package
from autograder.engine.courses.unreleased import unreleased
from autograder.engine.placing import ReleasedCell


@dataclass(frozen=True)
class Exercise:
    """A coded exercise with a solution cell `<id>`, a check cell `check_<id>`, and a grader
    `test_<id>.py`.
    """

    id: str
    points: float
    grader: Path

    @property
    def check_cell(self) -> str:
        """The id of the check cell."""
        return CHECK + self.id


class Signature(NamedTuple):
    """The names of a part's arguments, in the statement as in the reference.

    The arguments of a function, which is called directly, are in `forward`.
    """

    constructor: list[str]
    forward: list[str]
    function: bool = False  # the part is a function, which is never built


@dataclass(frozen=True)
class Assignment:
    """One assignment of a course. Its files are read lazily, when a property needs them."""

    id: str
    course: Course

    def __reduce__(self) -> tuple:
        return _find_in_this_process, (self.id, self.course.root)

    @property
    def release(self) -> Path:
        """The path of the released notebook."""
        return self.course.release / self.id / f"{self.id}.ipynb"

    @property
    def source(self) -> Path:
        """The path of the source notebook."""
        return self.course.source / self.id / f"{self.id}.ipynb"

    @property
    def graders(self) -> Path:
        """The folder of the graders' package."""
        return self.course.graders / self.id.replace("-", "_")

    @cached_property
    def pristine(self) -> str:
        """The text of the notebook for students: the release, or a preview before the first.

        Raise `GraderError` if there is no release, and a preview cannot be made.
        """
        if self.release.is_file():
            return self.release.read_text(encoding="utf-8")
        try:
            return unreleased(self.source, self.course)
        except Exception as error:  # a half-written notebook makes nbgrader raise anything
            raise GraderError(f"`{self.source}` cannot be released: {error}") from error

    @cached_property
    def cells(self) -> tuple[PristineCell, ...]:
        """The cells of the notebook for students. Raise `GraderError` if it cannot be read."""
        return cells_in(self.pristine, self.release)

    @cached_property
    def released_cells(self) -> tuple[ReleasedCell, ...]:
        """The cells of the notebook for students in the form that places answers."""
        return tuple(released_cell(cell) for cell in self.cells)

    @property
    def has_graders(self) -> bool:
        """Whether hidden graders grade the assignment.

        Without a folder of graders, it is True if there are exercises and every check cell is named
        after a solution cell, as hidden graders require.
        """
        if self.graders.is_dir():
            return True
        with suppress(GraderError, OSError):
            answers = {cell.id for cell in self.cells if cell.solution}
            return bool(self.exercises) and answers.issuperset(
                exercise.id for exercise in self.exercises
            )
        return False

    @cached_property
    def solutions(self) -> dict[str, str]:
        """The code of the solution cells in `source/` by id, as a student would have written it.

        nbgrader's marks and the comments that name holes are removed.
        """
        return {name: cell.text for name, cell in self.marked_solutions.items()}

    @cached_property
    def marked_solutions(self) -> dict[str, MarkedCell]:
        """The solution cells in `source/` by id, with the holes that known mistakes fill."""
        return {
            cell.id: read_marked_cell(
                "\n".join(
                    line for line in cell.source.splitlines() if line.strip() not in (BEGIN, END)
                )
            )
            for cell in read_cells(self.source)
            if cell.solution and cell.kind == "code"
        }

    @cached_property
    def marked_answers(self) -> dict[str, str]:
        """The code between the first BEGIN and END marks of each solution cell, by id.

        It keeps the comments (`#@ ...`) that name holes.
        """
        cells = {cell.id: cell.source for cell in read_cells(self.source) if cell.solution}
        parts = {name: text.partition(BEGIN)[2].partition(END)[0] for name, text in cells.items()}
        return {name: textwrap.dedent(part).strip() for name, part in parts.items()}

    def solved_cells(self) -> dict[str, str]:
        """Return the code of the cells that run when the solution is graded, by id and in order."""
        return {
            cell.id: self.solutions.get(cell.id, cell.source)
            for cell in self.cells
            if cell.kind == "code" and not cell.check and not cell.skipped
        }

    @cached_property
    def figures(self) -> frozenset[str]:
        """The `data:` addresses of the figures in the texts of the release."""
        return figures_in(cell.source for cell in self.cells if cell.kind == "markdown")

    @cached_property
    def exercises(self) -> tuple[Exercise, ...]:
        """The coded exercises, in the order of the notebook."""
        return tuple(
            Exercise(name, cell.points, self.graders / f"test_{name}.py")
            for cell in self.cells
            if cell.check and (name := cell.id.removeprefix(CHECK))
        )

    def module(self, name: str = "") -> ModuleType | None:
        """Return the module `name` of the graders' package, or the package itself for "".

        Return None if the file does not exist. Raise `GraderError` if it cannot be imported.
        """
        if not (self.graders / "__init__.py").is_file():
            return None
        package = import_package(self.graders)
        if not name:
            return package
        path = self.graders.joinpath(*name.split("."))
        if not (path.with_suffix(".py").is_file() or (path / "__init__.py").is_file()):
            return None
        try:
            return importlib.import_module(f"{package.__name__}.{name}")
        except Exception as error:  # its code may raise anything
            raise GraderError(f"`{path}` cannot be imported: {error!r}") from error

    @cached_property
    def aliases(self) -> Mapping[str, str]:
        """Patterns of students' names for each of the reference's layers, by the reference's name.

        They help to find the student's layer with the same role.
        """
        return getattr(self.module(), "ALIASES", {})

    @cached_property
    def library_parts(self) -> Mapping[str, Sequence[str]]:
        """The library parts that students have to write themselves, by exercise."""
        return getattr(self.module(), "LIBRARY_PARTS", {})

    @cached_property
    def look_around(self) -> Callable | None:
        """The assignment's function that is called before the first check, if it has one.

        It gets the candidate and the fixture `answer_or_none`. Its result is the fixture
        `surroundings`.
        """
        return getattr(self.module(), "look_around", None)

    def signature(self, name: str) -> Signature:
        """Return the names of the arguments of the part `name`, as the statement gives them.

        Raise `GraderError` if the reference does not have the part.
        """
        part: Any = getattr(self.module("reference"), name, None)
        if part is None:
            raise GraderError(
                f"`{self.graders.name}/reference.py` has no `{name}`: a stand-in needs its signature"
            )
        if not inspect.isclass(part):
            return Signature([], _parameters(part), function=True)
        forward: Any = part.forward  # type: ignore[attr-defined]
        return Signature(_parameters(part), _parameters(forward)[1:])


@cache
def find_assignment(id: str, course: Course) -> Assignment:
    """Return the assignment with this id, released or not. Raise `CourseError` if it is missing."""
    ids = assignments(course)
    if id not in ids:
        listing = ", ".join(ids) or "none"
        raise CourseError(f"There is no assignment `{id}`. There is: {listing}.")
    return Assignment(id, course)


def assignments(course: Course) -> list[str]:
    """Return the ids of a course's assignments, released or not, sorted."""
    return sorted({*_notebooks_in(course.release), *_notebooks_in(course.source)})


def sources(course: Course) -> list[str]:
    """Return the ids of a course's assignments that have a notebook in `source/`, sorted."""
    return sorted(_notebooks_in(course.source))


def _notebooks_in(folder: Path) -> list[str]:
    return [path.stem for path in folder.glob("*/*.ipynb") if path.stem == path.parent.name]


def _find_in_this_process(id: str, root: Path) -> Assignment:
    """Unpickle an assignment, from the course in `root` or else the current course."""
    try:
        course = read_course(root)
    except CourseError:
        course = find_course()
    return find_assignment(id, course)


def _parameters(function: Callable) -> list[str]:
    return list(inspect.signature(function).parameters)
