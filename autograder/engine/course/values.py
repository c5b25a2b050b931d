"""Which exercises of an assignment have values as answers, such as a quiz or numbers.

Whoever is told which checks of such an answer pass can try values until all do.
"""

from autograder.engine.course.assignment import Assignment
from autograder.text.patterns import Pattern

DEFINITION = Pattern(r"(?m)^[ \t]*(?:async[ \t]+)?(?:def|class)[ \t]|=[ \t]*lambda\b")


def value_exercises(assignment: Assignment) -> frozenset[str]:
    """Return the ids of the exercises whose solution defines no function and no class.

    Without a source, the released cell decides.
    """
    codes = {cell.id: cell.source for cell in assignment.cells}
    codes |= assignment.solutions if assignment.source.is_file() else {}
    ids = [one.id for one in assignment.exercises]
    return frozenset(id for id in ids if not DEFINITION.search(codes.get(id, "")))
