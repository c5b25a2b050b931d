"""The answers that a person marks, of each assignment in the gradebook, for the commands of `marking`."""

from collections.abc import Iterator

from autograder.engine.course.assignment import Assignment, assignments, find_assignment
from autograder.engine.course.course import Course
from autograder.gradebook.database import gradebook_of
from autograder.report import terminal
from autograder.staff.marking.answers import WrittenAnswer, read_answers
from autograder.text.errors import FAILED, CommandError

FORMGRADER = "http://localhost:8888/formgrader"


def answers_in_gradebook(
    course: Course, named: str | None, gradebook: str | None, address: str
) -> Iterator[tuple[Assignment, list[WrittenAnswer], list[str]]]:
    """Yield each assignment of which the gradebook has answers to mark by hand, with these answers,
    and the students whose graded notebook cannot be read. If there is none, print a sentence.

    `named`: the id of the one assignment to look at, None for all; `gradebook`: a URL, None for the
    course's; `address`: formgrader's URL, for links. Raises `CourseError` if `named` is not
    known, `CommandError` if the gradebook cannot be used.
    """
    url = gradebook_url(course, gradebook)
    wanted = [find_assignment(named, course).id] if named else assignments(course)
    found = False
    for id in wanted:
        if answers := read_answers(url, course, id, address.rstrip("/")):
            found = True
            yield find_assignment(id, course), *answers
    if not found:
        what = f"of `{named}` " if named else ""
        terminal.say(f"Nothing {what}in the gradebook is marked by hand. Grade first.")


def gradebook_url(course: Course, address: str | None) -> str:
    """Return the URL of the gradebook: `address`, or if that is None, the course's. Raises
    `CommandError` if it does not exist.
    """
    url = gradebook_of(course, address)
    if url is None:
        raise CommandError("This course has no gradebook yet: grade first.", FAILED)
    return url
