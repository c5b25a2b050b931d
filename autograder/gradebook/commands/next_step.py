"""Explain why a command has nothing to work on, and suggest the next command."""

from autograder.engine import (
    Course,
    ResultsFolder,
    courses,
    find_assignment,
    grading,
    plural,
    verdicts,
)
from autograder.gradebook.grades import without_points

NOT_ENTERED = (
    "`results/` has practice verdicts, which no gradebook takes: run `grade` where a sandbox works."
)


def why_no_grades(course: Course, assignment: str | None = None) -> str:
    """Return a sentence on why the gradebook has no grade for the course or the assignment."""
    ids = [assignment] if assignment else courses.assignments(course)
    folders = (
        ResultsFolder(course.root / grading.RESULTS, find_assignment(id, course)) for id in ids
    )
    files = (file for folder in folders for file in verdicts.verdict_files(folder.folder))
    stored_verdicts = [verdict for file in files if (verdict := verdicts.read_verdict(file))]
    if not stored_verdicts:
        return f"Nothing {f'of `{assignment}` ' if assignment else ''}is graded yet: `grade` first."
    if any(verdict.is_practice for verdict in stored_verdicts):
        return NOT_ENTERED
    graded = [verdict for verdict in stored_verdicts if verdict.state == "graded"]
    if graded:
        return f"The gradebook lacks {plural(len(graded), 'graded verdict')} of `results/`: `enter` first."
    return " ".join(["No submission could be graded.", *without_points(stored_verdicts)])
