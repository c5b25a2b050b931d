"""The course and its assignments: their folders, and the files in them."""

from typing import TYPE_CHECKING

from autograder import _lazily
from autograder.engine.courses.assignment import Exercise, assignments, sources
from autograder.engine.courses.cells import (
    CHECK,
    COMMENT,
    EXAMPLE,
    SKIP,
    PristineCell,
    figures_in,
    pristine_cell,
    read_cells,
    released_cell,
)
from autograder.engine.courses.course import CONFIG, make_course, read_config, read_course
from autograder.engine.courses.holes import MARK
from autograder.engine.courses.values import value_exercises
from autograder.engine.courses.which import (
    cannot_tell,
    every,
    in_name,
    nothing_to_grade,
    of_cells,
    with_exercises,
)

if TYPE_CHECKING:
    from autograder.engine.courses.clearing import names_shown

__all__ = [
    "CHECK",
    "COMMENT",
    "CONFIG",
    "EXAMPLE",
    "MARK",
    "SKIP",
    "Exercise",
    "PristineCell",
    "assignments",
    "cannot_tell",
    "every",
    "figures_in",
    "in_name",
    "make_course",
    "names_shown",
    "nothing_to_grade",
    "of_cells",
    "pristine_cell",
    "read_cells",
    "read_config",
    "read_course",
    "released_cell",
    "sources",
    "value_exercises",
    "with_exercises",
]

# clearing.py imports nbgrader, so it is imported on first use.
__getattr__ = _lazily(__name__, {"autograder.engine.courses.clearing": "names_shown"})
