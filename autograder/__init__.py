"""Grade notebooks: student code runs in a sealed process, hidden tests in another.

    from autograder import find_assignment, find_course, grade

    assignment = find_assignment("my-sheet", find_course())
    verdict = grade(assignment, "submitted/ada/my-sheet/my-sheet.ipynb", "ada")
    print(verdict.state, verdict.points, verdict.max_points)

Neither importing this package nor calling what it exports changes anything in your process.
"""

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from autograder.classroom.apart import grade
    from autograder.engine import (
        Assignment,
        AutograderError,
        Course,
        CourseError,
        SandboxError,
        Verdict,
        find_assignment,
        find_course,
    )
    from autograder.engine.courses import assignments
    from autograder.engine.verdicts import (
        CheckResult,
        ExerciseResult,
        NamedMistake,
        read_verdict,
        write_verdict,
    )

__all__ = [
    "Assignment",
    "AutograderError",
    "CheckResult",
    "Course",
    "CourseError",
    "ExerciseResult",
    "NamedMistake",
    "SandboxError",
    "Verdict",
    "assignments",
    "find_assignment",
    "find_course",
    "grade",
    "read_verdict",
    "write_verdict",
]


def _lazily(package: str, homes: Mapping[str, str]) -> Callable[[str], object]:
    """Return the `__getattr__` of a package that imports what it exports when it is first asked for.
    `homes`: names, separated by spaces, by the module that has them.
    """

    def find(name: str) -> object:
        for module, names in homes.items():
            if name in names.split():
                return getattr(import_module(module), name)
        raise AttributeError(f"module {package!r} has no attribute {name!r}")

    return find


# A candidate imports a part of this package, too, and nothing of the rest may be in its process.
__getattr__ = _lazily(
    __name__,
    {
        "autograder.classroom.apart": "grade",
        "autograder.engine": "Assignment AutograderError Course CourseError SandboxError Verdict find_assignment find_course",
        "autograder.engine.courses": "assignments",
        "autograder.engine.verdicts": "CheckResult ExerciseResult NamedMistake read_verdict write_verdict",
    },
)
