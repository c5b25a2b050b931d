"""Forget the verdicts on notebooks that no longer belong to a student: those of undone runs,
drafts, and other students' notebooks. Otherwise they would count as earlier submissions. Find marks
by hand that would be lost with such notebooks.
"""

from collections.abc import Iterable

from sqlalchemy.orm import Session

from autograder.classroom.groups import Groups
from autograder.classroom.records.received import notebook_rows, read_file
from autograder.engine import Assignment, ResultsFolder, Submission, grading, notebooks
from autograder.gradebook.sync.answers import answer_in
from autograder.gradebook.sync.database import TRY_AGAIN, gradebook_of, open_session
from autograder.gradebook.sync.group_marks import AnswerMarks
from autograder.gradebook.sync.notebooks import repaired_notebook

Notebooks = set[tuple[str, str]]  # student or group, hash of the file


def owned_notebooks(records: Session, assignment_id: str) -> Notebooks:
    """Return the notebooks that may be graded for an assignment, as it was last settled."""
    return {(student, notebook) for student, notebook, _ in notebook_rows(records, assignment_id)}


def outdated_verdicts(
    records: Session, assignment: Assignment, owned: Notebooks
) -> dict[str, set[str]]:
    """Return the hashes of submissions that were removed when the assignment was settled again, by
    student. `owned`: the notebooks before. Students without verdicts are left out.
    """
    results = ResultsFolder(assignment.course.root / grading.RESULTS, assignment)
    now = owned_notebooks(records, assignment.id)
    losing = {student for student, _ in owned - now if results.verdict(student)}

    def hashes(notebooks: Notebooks) -> dict[str, set[str]]:
        by_student = {student: set[str]() for student in losing}
        for student, notebook in notebooks:
            if student in losing:
                by_student[student].add(_parse(records, assignment, student, notebook).hash)
        return by_student

    hashes_before, hashes_now = hashes(owned - now), hashes(now)
    return {student: hashes_before[student] - hashes_now[student] for student in losing}


def with_lost_marks(
    records: Session, assignment: Assignment, owned: Notebooks, groups: Groups
) -> list[str]:
    """Return the students and groups that would lose marks by hand: marks for answers in a notebook
    of `owned` (before the assignment was settled again), which are in none of their current
    notebooks. Raises `AutograderError` if the gradebook cannot be used.
    """
    url, owned_now = gradebook_of(assignment.course), owned_notebooks(records, assignment.id)
    if url is None:
        return []

    def answers(notebooks: Iterable[tuple[str, str]]) -> set[tuple[str, str]]:
        submissions = (_parse(records, assignment, *notebook) for notebook in notebooks)
        cells = (
            cell
            for submission in submissions
            for cell in repaired_notebook(assignment, submission).cells
        )
        return {(cell.id, answer_in(cell).digest) for cell in cells}

    with open_session(url, TRY_AGAIN) as session:
        marks = AnswerMarks(session, assignment.id)
    losing = []
    for owner in sorted({student for student, _ in owned - owned_now}):
        owners = {owner, *groups.in_no_other(owner)}
        rows = marks.of(owners).items()
        marked = {key for key, entries in rows if any(row.given.has_points for row in entries)}
        removed = answers(notebook for notebook in owned - owned_now if notebook[0] == owner)
        # nbgrader alone does not keep the answer of a mark
        lost_answers = {answer for answer in marked if answer in removed or not answer[1]}
        if lost_answers and lost_answers - answers(
            notebook for notebook in owned_now if notebook[0] in owners
        ):
            losing.append(owner)
    return losing


def _parse(records: Session, assignment: Assignment, student: str, notebook: str) -> Submission:
    data = read_file(records, notebook)
    return notebooks.parse_submission(assignment, student, f"{assignment.id}.ipynb", data)


def forget_verdicts(assignment: Assignment, outdated: dict[str, set[str]]) -> None:
    """Remove these verdicts from the course's results. Raises `OSError`, or `AutograderError` if
    grading is running.
    """
    results = ResultsFolder(assignment.course.root / grading.RESULTS, assignment)
    if outdated:
        with results.exclusively():
            for student, submissions in outdated.items():
                results.forget(student, submissions)
