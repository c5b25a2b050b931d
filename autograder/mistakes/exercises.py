"""Find the known mistakes in all exercises of a submission."""

from autograder.engine.courses.assignment import Assignment
from autograder.engine.examiner.checks import CheckRun, Explanation
from autograder.mistakes.budget import OutOfTime
from autograder.mistakes.search import diagnose

ODD_SEARCH = (  # exceptions of a search for mistakes that an odd answer may cause
    ArithmeticError,
    AttributeError,
    LookupError,
    MemoryError,
    RuntimeError,
    TypeError,
    ValueError,
)
OUT_OF_TIME = "the search for known mistakes took too long and names none; grade it once more?"
BROKEN_SEARCH = "the search for known mistakes broke on an odd answer, and names none."


def diagnose_exercises(
    assignment: Assignment, checks: dict[str, list[CheckRun]], seconds: float
) -> tuple[dict[str, list[Explanation]], list[str]]:
    """Search for the known mistakes in each exercise. `checks`: by exercise id.

    Each search may take `seconds` of CPU time. Return the mistakes by exercise, and notes for
    staff. If a search exceeds its time or fails on an odd answer, its exercise has a note and no
    mistakes. The mistakes are also set in the checks.
    """
    mistakes, notes = {}, []
    for name, exercise_checks in checks.items():
        try:
            mistakes[name] = diagnose(assignment, exercise_checks, seconds)
        except OutOfTime:
            notes.append(f"`{name}`: {OUT_OF_TIME}")
        except ODD_SEARCH:
            notes.append(f"`{name}`: {BROKEN_SEARCH}")
    return mistakes, notes
