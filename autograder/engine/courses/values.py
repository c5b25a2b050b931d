"""Find the exercises with values as answers, such as a quiz or numbers.

If students could see which checks of such an answer pass, they could try values until all do.
"""

from pathlib import Path

from autograder.engine.courses.assignment import Assignment
from autograder.engine.texts.patterns import Pattern

ASKS = Pattern(r"\bcandidate\.(?:value|entry)\(")
DEFINITION = Pattern(r"(?m)^[ \t]*(?:async[ \t]+)?(?:def|class)[ \t]|=[ \t]*lambda\b")


def value_exercises(assignment: Assignment) -> frozenset[str]:
    """Return the ids of the exercises with values as answers.

    Their solution defines no function and no class, or their grader asks for a value. Without a
    source, the released cell decides.
    """
    codes = {cell.id: cell.source for cell in assignment.cells}
    codes |= assignment.solutions if assignment.source.is_file() else {}
    return frozenset(
        exercise.id
        for exercise in assignment.exercises
        if not DEFINITION.search(codes.get(exercise.id, "")) or _asks_for_value(exercise.grader)
    )


def _asks_for_value(grader: Path) -> bool:
    return grader.is_file() and bool(ASKS.search(grader.read_text(encoding="utf-8")))
