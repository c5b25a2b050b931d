"""Which exercises of an assignment have values as answers, such as a quiz or numbers.

Whoever is told which checks of such an answer pass can try values until all do.
"""

from pathlib import Path

from autograder.engine.courses.assignment import Assignment
from autograder.engine.texts.patterns import Pattern

ASKS = Pattern(r"\bcandidate\.(?:value|entry)\(")
DEFINITION = Pattern(r"(?m)^[ \t]*(?:async[ \t]+)?(?:def|class)[ \t]|=[ \t]*lambda\b")


def value_exercises(assignment: Assignment) -> frozenset[str]:
    """Return the ids of the exercises whose solution defines no function and no class, or whose
    grader asks for a value.

    Without a source, the released cell decides.
    """
    codes = {cell.id: cell.source for cell in assignment.cells}
    codes |= assignment.solutions if assignment.source.is_file() else {}
    return frozenset(
        one.id
        for one in assignment.exercises
        if not DEFINITION.search(codes.get(one.id, "")) or _asks_for_value(one.grader)
    )


def _asks_for_value(grader: Path) -> bool:
    return grader.is_file() and bool(ASKS.search(grader.read_text(encoding="utf-8")))
