"""Write the feedback pages of practice verdicts, which never enter a gradebook."""

from collections.abc import Collection
from pathlib import Path

from autograder.classroom.roster import read_roster
from autograder.engine import Assignment, files, grading
from autograder.gradebook.grades import combine_grades, read_results
from autograder.gradebook.pages.details import groups_of, top_of_submitted
from autograder.gradebook.pages.of_grade import own_page
from autograder.gradebook.sync.database import folders_of


def write_practice_pages(
    assignment: Assignment, graded: Collection[str]
) -> tuple[list[str], list[str]]:
    """Write a page, marked as practice, for each student with a practice verdict, and pages on
    unreadable submissions.

    Returns two lists of students with a practice verdict: students with a new page, and `graded`
    students, who keep the page with their grade. The gradebook is not opened. Raises
    `AutograderError` if no verdict or a table cannot be read, `OSError` if a page cannot be
    written.
    """
    course, id = assignment.course, assignment.id
    folders = folders_of(course)
    submitted, groups = top_of_submitted(folders), groups_of(folders, id)
    results = read_results(course.root / grading.RESULTS, id, groups)
    grades = combine_grades(results, read_roster(submitted, id), {}, submitted, groups)
    for grade in grades:
        needs_page = grade.verdict.is_practice or grade.verdict.state == "unreadable"
        if needs_page and grade.student not in graded:
            folder = Path(folders.format_path(folders.feedback_directory, grade.student, id))
            with files.replacing(folder / f"{id}.html") as file:
                file.write(own_page(grade))
    practice = [grade.student for grade in grades if grade.verdict.is_practice]
    return [student for student in practice if student not in graded], [
        student for student in practice if student in graded
    ]
