"""Find the assignment of a file or notebook by its name or its cells."""

from collections.abc import Iterable, Sequence

from autograder.engine.courses.assignment import Assignment, assignments, find_assignment
from autograder.engine.courses.cells import GraderError
from autograder.engine.courses.course import Course, CourseError
from autograder.engine.texts.patterns import Pattern, escape


def in_name(name: str, ids: Iterable[str]) -> list[str]:
    """Return the ids that a file's name contains as words, without parts of longer matches.

    Browsers, platforms and people may add to a name: `Copy of sheet-3_final (1).ipynb`.
    """
    matches = [
        id for id in ids if Pattern(rf"(?i)(?:^|[^a-z0-9]){escape(id)}(?:$|[^a-z0-9])").search(name)
    ]
    return [
        id for id in matches if not any(id != other_id and id in other_id for other_id in matches)
    ]


def of_cells(names: Iterable[str], candidates: Iterable[Assignment]) -> list[Assignment]:
    """Return the candidates that have most cells with these names (ids), if any."""
    cell_names = set(names)
    shared = {assignment: len(cell_names & _own_cells(assignment)) for assignment in candidates}
    largest = max(shared.values(), default=0)
    return [assignment for assignment, count in shared.items() if count == largest > 0]


def _own_cells(assignment: Assignment) -> set[str]:
    try:
        return {cell.id for cell in assignment.cells if cell.solution or cell.check}
    except GraderError:
        return set()


def every(course: Course) -> list[Assignment]:
    """Return all assignments of a course. Raise `CourseError` if it has none."""
    ids = assignments(course)
    if not ids:
        raise nothing_to_grade(course)
    return [find_assignment(id, course) for id in ids]


def nothing_to_grade(course: Course) -> CourseError:
    """Return the error for a course without assignments.

    Its message names notebooks that only nbgrader can grade, if there are any.
    """
    notebooks = sorted({path.parent.name for path in course.source.glob("*/*.ipynb")})
    hint = f" but nbgrader's own ({', '.join(notebooks)}), which `nbgrader autograde` grades"
    return CourseError(
        f"This course has no assignment yet{hint if notebooks else ''}: `python -m autograder new NAME` "
        "begins one."
    )


def with_exercises(course: Course) -> tuple[list[Assignment], list[str]]:
    """Return all assignments with exercises, and a sentence on each damaged assignment.

    If none has exercises, return all that are not damaged. Raise `CourseError` if the course has no
    assignments, `GraderError` if all are damaged.
    """
    sound, damaged = [], []
    for assignment in every(course):
        try:
            _ = assignment.exercises, assignment.source.is_file() and assignment.solutions
        except GraderError as error:
            damaged.append(f"{assignment.id} is left out: {error}")
        else:
            sound.append(assignment)
    if not sound:
        raise GraderError(" ".join(damaged))
    return [assignment for assignment in sound if assignment.exercises] or sound, damaged


def cannot_tell(reason: str, ids: Sequence[str]) -> CourseError:
    """Return the error for a file whose assignment is unknown.

    `reason`: a sentence. `ids`: the assignments to choose from.
    """
    return CourseError(f"{reason}: add --assignment and one of {', '.join(ids)}.")
