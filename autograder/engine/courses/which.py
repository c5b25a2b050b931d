"""Find out which assignment a file or notebook belongs to, by its name or its cells."""

from collections.abc import Iterable, Sequence

from autograder.engine.courses.assignment import Assignment, assignments, find_assignment
from autograder.engine.courses.cells import GraderError
from autograder.engine.courses.course import Course, CourseError
from autograder.engine.texts.patterns import Pattern, escape


def in_name(name: str, ids: Iterable[str]) -> list[str]:
    """Return those of the ids that a file's name contains as words; if one of them contains
    another, only the longer one.

    Browsers, platforms and people may add to a name: `Copy of sheet-3_final (1).ipynb`.
    """
    found = [
        id for id in ids if Pattern(rf"(?i)(?:^|[^a-z0-9]){escape(id)}(?:$|[^a-z0-9])").search(name)
    ]
    return [id for id in found if not any(id != one and id in one for one in found)]


def of_cells(names: Iterable[str], candidates: Iterable[Assignment]) -> list[Assignment]:
    """Return those of the candidates, assignments, that have the most cells with these names (ids):
    one, none, or several with equally many.
    """
    known = set(names)
    shared = {one: len(known & _own_cells(one)) for one in candidates}
    most = max(shared.values(), default=0)
    return [one for one, count in shared.items() if count == most > 0]


def _own_cells(assignment: Assignment) -> set[str]:
    """Return the ids of an assignment's solution and check cells; an empty set if its notebook is
    damaged.
    """
    try:
        return {cell.id for cell in assignment.cells if cell.solution or cell.check}
    except GraderError:
        return set()


def every(course: Course) -> list[Assignment]:
    """Return all assignments of a course. Raise `CourseError` if it has none."""
    known = assignments(course)
    if not known:
        raise nothing_to_grade(course)
    return [find_assignment(id, course) for id in known]


def nothing_to_grade(course: Course) -> CourseError:
    """Return the error for a course without assignments. Its message names notebooks that only
    nbgrader can grade, if there are any.
    """
    theirs = sorted({path.parent.name for path in course.source.glob("*/*.ipynb")})
    own = f" but nbgrader's own ({', '.join(theirs)}), which `nbgrader autograde` grades"
    return CourseError(
        f"This course has no assignment yet{own if theirs else ''}: `python -m autograder new NAME` "
        "begins one."
    )


def with_exercises(course: Course) -> tuple[list[Assignment], list[str]]:
    """Return all assignments that have something to grade, and a sentence on each that is left out
    because it is damaged.

    If no assignment has something to grade, return all that are not damaged. Raise
    `CourseError` if the course has none, `GraderError` if all are damaged.
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


def cannot_tell(why: str, there: Sequence[str]) -> CourseError:
    """Return the error for a file whose assignment is unknown. `why`: the reason, as a sentence;
    `there`: the ids to choose from.
    """
    return CourseError(f"{why}: add --assignment and one of {', '.join(there)}.")
