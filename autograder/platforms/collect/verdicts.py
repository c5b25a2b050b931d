"""Forget the verdicts on notebooks that are a student's no longer: an undone run's, drafts, and what
belongs to somebody else. Else they would count as earlier submissions.
"""

from sqlalchemy.orm import Session

from autograder.classroom.records.received import notebook_rows, read_file
from autograder.engine.course.assignment import Assignment
from autograder.engine.notebook.submission import parse_submission
from autograder.engine.results import RESULTS, ResultsFolder

Notebooks = set[tuple[str, str]]  # student or group, hash of the file


def owned_notebooks(records: Session, assignment_id: str) -> Notebooks:
    """Return the notebooks that may be graded for an assignment, as it was settled last."""
    return {(student, notebook) for student, notebook, _ in notebook_rows(records, assignment_id)}


def outdated_verdicts(
    records: Session, assignment: Assignment, owned: Notebooks
) -> dict[str, set[str]]:
    """Return the hashes of the submissions that were in `owned`, before the assignment was settled
    anew, and are not now: by student, of those who have verdicts in the course's results.
    """
    results = ResultsFolder(assignment.course.root / RESULTS, assignment)
    now = owned_notebooks(records, assignment.id)
    losing = {student for student, _ in owned - now if results.verdict(student)}

    def hashes(notebooks: Notebooks) -> dict[str, set[str]]:
        found = {student: set[str]() for student in losing}
        for student, notebook in notebooks:
            if student in losing:
                data, name = read_file(records, notebook), f"{assignment.id}.ipynb"
                found[student].add(parse_submission(assignment, student, name, data).hash)
        return found

    before, after = hashes(owned - now), hashes(now)
    return {student: before[student] - after[student] for student in losing}


def forget_verdicts(assignment: Assignment, outdated: dict[str, set[str]]) -> None:
    """Remove these verdicts from the course's results. Raises `AutograderError` if somebody is grading,
    or `OSError`.
    """
    results = ResultsFolder(assignment.course.root / RESULTS, assignment)
    if outdated:
        with results.exclusively():
            for student, submissions in outdated.items():
                results.forget(student, submissions)
