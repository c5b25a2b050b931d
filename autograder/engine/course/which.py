"""Which assignment something is about, where nobody says it: names of files, cells of notebooks."""

from collections.abc import Iterable, Sequence

from autograder.engine.course.assignment import (
    Assignment,
    GraderError,
    UnknownAssignment,
    assignments,
    find_assignment,
)
from autograder.engine.course.course import Course
from autograder.text.patterns import Pattern, escape


def in_name(name: str, ids: Iterable[str]) -> list[str]:
    """The ids that a file's name has in it as words; of one in another, the longer.

    Around them may be what browsers, platforms and people add: `Copy of sheet-3_final (1).ipynb`.
    """
    found = [
        id for id in ids if Pattern(rf"(?i)(?:^|[^a-z0-9]){escape(id)}(?:$|[^a-z0-9])").search(name)
    ]
    return [id for id in found if not any(id != one and id in one for one in found)]


def of_cells(names: Iterable[str], candidates: Iterable[Assignment]) -> list[Assignment]:
    """The assignments of which most cells are among these names: one, none, or several alike."""
    known = set(names)
    shared = {one: len(known & _own_cells(one)) for one in candidates}
    most = max(shared.values(), default=0)
    return [one for one, count in shared.items() if count == most > 0]


def _own_cells(assignment: Assignment) -> set[str]:
    """The ids of answers and checks; none where the notebook is half-written, which is said elsewhere."""
    try:
        return {cell.id for cell in assignment.cells if cell.solution or cell.check}
    except GraderError:
        return set()


def every(course: Course) -> list[Assignment]:
    """All assignments of a course. Raises `UnknownAssignment` where it has none."""
    known = assignments(course)
    if not known:
        raise nothing_to_grade(course)
    return [find_assignment(id, course) for id in known]


def nothing_to_grade(course: Course) -> UnknownAssignment:
    """The error where a course has no assignment of ours, and which ones nbgrader has there."""
    theirs = sorted({path.parent.name for path in course.source.glob("*/*.ipynb")})
    own = f" but nbgrader's own ({', '.join(theirs)}), which `nbgrader autograde` grades"
    return UnknownAssignment(
        f"This course has no assignment yet{own if theirs else ''}: `python -m autograder new NAME` "
        "begins one."
    )


def with_exercises(course: Course) -> tuple[list[Assignment], list[str]]:
    """All assignments in which there is something to grade, and a sentence on each damaged one.

    Where there is nothing to grade in any, all that are not damaged. Raises `UnknownAssignment`
    where the course has none, and `GraderError` where all are damaged.
    """
    sound, damaged = [], []
    for one in every(course):
        try:
            _ = one.exercises, one.source.is_file() and one.solutions
        except GraderError as error:
            damaged.append(f"{one.id} is left out: {error}")
        else:
            sound.append(one)
    if not sound:
        raise GraderError(" ".join(damaged))
    return [one for one in sound if one.exercises] or sound, damaged


def cannot_tell(why: str, there: Sequence[str]) -> UnknownAssignment:
    """The error where nothing says which assignment is meant, and which ones there are."""
    return UnknownAssignment(f"{why}: add --assignment and one of {', '.join(there)}.")
