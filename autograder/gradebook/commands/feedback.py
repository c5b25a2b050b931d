"""`feedback`: make the pages of students after changes of grade, marks, comments or penalty."""

import multiprocessing
import signal
from collections import defaultdict
from collections.abc import Collection, Iterator
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from pathlib import Path

import click

from autograder._commands import terminal
from autograder._commands.exit_status import NOT_GRADED, OK, Command, refuse, worst
from autograder._commands.options import in_course, of_gradebook
from autograder._commands.progress import with_progress
from autograder.classroom.forkserver import start_forkserver
from autograder.classroom.pool import processors
from autograder.engine import (
    Assignment,
    ResultsFolder,
    courses,
    find_assignment,
    find_course,
    grading,
    name_some,
    plural,
)
from autograder.gradebook.commands.next_step import why_no_grades
from autograder.gradebook.inquiries import window_of
from autograder.gradebook.pages.details import groups_of
from autograder.gradebook.pages.feedback import feedback_pages, make_page
from autograder.gradebook.pages.feedback_without_grade import write_pages
from autograder.gradebook.pages.practice_pages import write_practice_pages
from autograder.gradebook.sync.group_marks import share_group_marks
from autograder.gradebook.sync.marks import about_open
from autograder.gradebook.sync.tables import read_marks


@click.command(
    "feedback",
    cls=Command,
    statuses={OK: "each page shows what is known now", NOT_GRADED: "some pages cannot be made"},
)
@click.argument("names", nargs=-1, metavar="[ASSIGNMENT]...", help="(all that are graded)")
@click.option("--jobs", type=click.IntRange(min=1), metavar="N", help="processes (one a processor)")
@in_course
@of_gradebook
def feedback(
    names: tuple[str, ...], jobs: int | None, course: Path | None, gradebook: str | None
) -> int:
    """Make feedback/STUDENT/ASSIGNMENT/, where a grade, a mark, a comment or a penalty has changed.

    Other pages stay as they are. Where a page cannot be made, the old one is removed: it would
    stand beside a new grade. Practice verdicts, which are in no gradebook, get pages that are marked
    so, except for students with a grade.
    """
    the_course = find_course(course)
    root = the_course.root
    top = root / courses.read_config(root).CourseDirectory.get("autograded_directory", "autograded")
    graded: dict[str, set[str]] = defaultdict(set)  # students, by assignment
    for folder in filter(Path.is_dir, top.glob("*/*")):
        graded[folder.name].add(folder.parent.name)
    practice = {
        id: assignment
        for id in courses.assignments(the_course)
        if ResultsFolder(
            root / grading.RESULTS, assignment := find_assignment(id, the_course)
        ).practice()
    }
    assignment_ids = sorted({*graded, *practice})
    missing = sorted({*names}.difference(assignment_ids))
    if missing:
        find_assignment(missing[0], the_course)  # says which there are
    if missing or not assignment_ids:
        return refuse(
            f"No page is made. {why_no_grades(the_course, missing[0] if missing else None)}"
        )
    for id in names or assignment_ids:
        window_of(courses.read_config(root), id)  # a page leaves out what it cannot read
    statuses = []
    for id in names or assignment_ids:
        statuses.append(_make(root, gradebook, id, jobs) if id in graded else OK)
        if id in practice:
            terminal.say(*_make_practice(practice[id], graded[id]))
    return worst(statuses)


def _make_practice(assignment: Assignment, graded: Collection[str]) -> Iterator[str]:
    """Make pages for practice verdicts, except for the `graded` students. Yield sentences on them."""
    written, with_grade = write_practice_pages(assignment, graded)
    if written:
        pages = plural(len(written), "page")
        yield f"{assignment.id}: {pages} marked as practice, graded without a sandbox."
    if with_grade:
        students = name_some(with_grade)
        yield f"{students}: the page shows the grade, not the practice verdict since then."


def _make(root: Path, gradebook: str | None, assignment_id: str, jobs: int | None) -> int:
    """Make the outdated pages of an assignment, print a summary, and return the exit status."""
    pages = feedback_pages(root, gradebook, assignment_id)
    folders = pages.converter.coursedir
    groups = groups_of(folders, assignment_id)
    terminal.say(*share_group_marks(folders.db_url, assignment_id, groups))
    students = [student for student in pages.students() if student not in groups.by_id]
    outcomes = _in_processes((root, gradebook, assignment_id), students, jobs)
    made_count, failed = 0, {}
    for student, (was_made, reason) in with_progress(outcomes, "pages", len(students)):
        made_count += was_made
        if reason:
            failed[student] = reason
            pages.remove(student)  # also where the process was lost
    write_pages(pages.converter)
    current = len(students) - made_count - len(failed)
    terminal.say(f"{assignment_id}: {plural(made_count, 'page')} made, {current} as they were.")
    terminal.say(
        *(f"{student} has no page: {reason}" for student, reason in sorted(failed.items()))
    )
    marks = read_marks(folders.db_url, assignment_id)
    marks_of_students = {student: marks[student] for student in students if student in marks}
    terminal.say(*about_open(marks_of_students, "Make pages again"))
    return NOT_GRADED if failed else OK


def _in_processes(
    page_arguments: tuple[Path, str | None, str], students: list[str], jobs: int | None
) -> Iterator[tuple[str, tuple[bool, str]]]:
    """Make pages in parallel. Yield the student, whether pages were made, and an error or ""."""
    start_forkserver(make_page.__module__)
    context = multiprocessing.get_context("forkserver")
    ignoring = signal.SIGINT, signal.SIG_IGN  # Ctrl-C is for this process
    pool = ProcessPoolExecutor(jobs or processors(), context, signal.signal, ignoring)
    try:
        futures: dict[Future, str] = {
            pool.submit(make_page, *page_arguments, student): student for student in students
        }
        for future in as_completed(futures):
            error = future.exception()
            yield (
                futures[future],
                (False, grading.describe_error(error)) if error else future.result(),
            )
    finally:
        pool.shutdown(cancel_futures=True)
