"""Write the feedback pages of practice verdicts, which are in no gradebook."""

from collections.abc import Collection
from pathlib import Path
from typing import NamedTuple

from autograder.engine.course.assignment import Assignment
from autograder.engine.results import RESULTS, ResultsFolder
from autograder.files.writing import replacing
from autograder.gradebook.database import folders_of
from autograder.gradebook.pages.details import groups_of, top_of_submitted
from autograder.people.roster import read_roster
from autograder.platforms.feedback import own_page
from autograder.platforms.grades import combine_grades, read_results


class PracticePages(NamedTuple):
    """The students with a practice verdict: those whose page was written, and those who keep the page
    of their grade.
    """

    written: list[str]
    with_grade: list[str]


def write_practice_pages(assignment: Assignment, graded: Collection[str]) -> PracticePages:
    """Write a page, marked as practice, for each student with a practice verdict. If there are such
    verdicts, also write the pages of submissions that cannot be read.

    The gradebook is not opened. `graded`: the students with a grade, whose page shows that. Raises
    `CommandError` if no verdict or a table cannot be read, `OSError` if a page cannot be written.
    """
    course, id = assignment.course, assignment.id
    pages = PracticePages([], [])
    if not ResultsFolder(course.root / RESULTS, assignment).practice():
        return pages
    folders = folders_of(course)
    submitted, groups = top_of_submitted(folders), groups_of(folders, id)
    results = read_results(course.root / RESULTS, id, groups)
    people = read_roster(submitted, id)
    for grade in combine_grades(results, people, {}, submitted, groups):
        verdict, student = grade.verdict, grade.student
        if verdict.is_practice and student in graded:
            pages.with_grade.append(student)
        elif student not in graded and (verdict.is_practice or verdict.state == "unreadable"):
            folder = Path(folders.format_path(folders.feedback_directory, student, id))
            with replacing(folder / f"{id}.html") as file:
                file.write(own_page(grade))
            if verdict.is_practice:
                pages.written.append(student)
    return pages
