"""Make feedback pages for students without a grade: unreadable or missing submissions."""

import contextlib
import shutil
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from nbgrader.api import Gradebook, MissingEntry
from nbgrader.converters import GenerateFeedback

from autograder.classroom.groups import CourseGroups
from autograder.classroom.roster import Person
from autograder.classroom.unmatched import read_unmatched, senders
from autograder.engine import (
    Assignment,
    CourseError,
    courses,
    files,
    find_assignment,
    texts,
    verdicts,
)
from autograder.gradebook.lateness.late_policy import zone_of
from autograder.gradebook.pages.details import top_of_submitted, why_unreadable
from autograder.gradebook.pages.no_grade import missing_page, unreadable_page
from autograder.gradebook.sync.tables import read_names


def write_pages(converter: GenerateFeedback) -> None:
    """Write a page for each student with an unreadable notebook and, after the due date, for each
    student without a submission. An unknown assignment or course is skipped.

    Pages of students whose submission is still unmatched are removed. `converter`: nbgrader's
    application. Raises `OSError` if a page cannot be written.
    """
    with contextlib.suppress(CourseError):
        id = converter.coursedir.assignment_id
        assignment = find_assignment(id, courses.read_course(Path(converter.coursedir.root)))
        for student, html in _pages(converter, assignment):
            folder = Path(converter._format_dest(id, student))
            if not html:
                shutil.rmtree(folder, ignore_errors=True)
                continue
            with files.replacing(folder / f"{id}.html") as file:
                file.write(html)


def _pages(converter: GenerateFeedback, assignment: Assignment) -> Iterator[tuple[str, str]]:
    """Yield the HTML of students without a graded notebook, "" to remove an outdated page."""
    folders = converter.coursedir
    top = top_of_submitted(folders)
    due, students = _of_gradebook(converter, assignment.id)
    received = senders(read_unmatched(top, assignment.id), students)
    is_over = due is None or due < datetime.now(UTC).replace(tzinfo=None)
    left_out = folders.student_id_exclude.split(",")
    zone = zone_of(converter.config)
    of_course = CourseGroups(assignment.course.root, top)
    groups = of_course.of(assignment.id)
    handed_in = {member for id in _handed_in(top) for member in groups.members(id)} - of_course.ids
    for student in sorted(
        ({person.student for person in students} | handed_in).difference(left_out)
    ):
        if folders.student_id not in ("*", student):
            continue
        if Path(converter._format_source(assignment.id, student)).exists():
            continue  # the page with points reports an unreadable newer notebook
        ids = student, groups.of(student) or student
        if any((top / id / assignment.id).exists() for id in ids):
            if reason := why_unreadable(assignment, student, top, groups):
                yield student, unreadable_page(assignment.id, student, reason)
        elif student in received:  # unmatched: an old page says that nothing was handed in
            yield student, ""
        elif is_over:
            yield (
                student,
                missing_page(assignment.id, student, texts.time_text(due, zone) if due else ""),
            )


def _of_gradebook(
    converter: GenerateFeedback, assignment_id: str
) -> tuple[datetime | None, list[Person]]:
    """Return the assignment's due date and all students in the gradebook."""
    with Gradebook(converter.coursedir.db_url, converter.coursedir.course_id) as gradebook:
        try:
            due = gradebook.find_assignment(assignment_id).duedate
        except MissingEntry:
            due = None
    names = read_names(converter.coursedir.db_url)
    return due, [
        Person(id, *name_and_email)
        for id, name_and_email in names.items()
        if verdicts.STUDENT.fullmatch(id)
    ]


def _handed_in(top: Path) -> set[str]:
    """Return the ids of students with a folder in `top`, the folder of all submissions."""
    try:
        return {
            entry.name
            for entry in files.entries(top, top)
            if verdicts.STUDENT.fullmatch(entry.name)
        }
    except OSError:
        return set()
