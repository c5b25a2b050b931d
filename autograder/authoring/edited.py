"""Find assignments by their notebooks in `source/`, whether or not they are released."""

import difflib
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

from autograder.engine import Assignment, Course, CourseError, courses
from autograder.mistakes.mistake import mistakes


def find_source(id: str, course: Course) -> Assignment:
    """Return the assignment with this id. Raises `CourseError` if `source/` does not have it."""
    known = courses.sources(course)
    if id not in known:
        there = ", ".join(known) or "none"
        raise CourseError(f"There is no assignment `{id}` in `{course.source}`. There is: {there}.")
    return Assignment(id, course)


def find_sources(names: Sequence[str], course: Course) -> list[Assignment]:
    """Return the assignments with these ids (`names`), or all in `source/` if `names` is empty.
    Raises `CourseError` if an id does not exist, or if there is no assignment.
    """
    found = [find_source(name, course) for name in names or courses.sources(course)]
    if not found:
        raise courses.nothing_to_grade(course)
    return found


def those_with(exercise: str, among: Sequence[Assignment]) -> list[Assignment]:
    """Return those of the assignments `among` that have this exercise, or if `exercise` is "", any
    exercise. Raises `CourseError` if none has.
    """
    own = {one: [each.id for each in one.exercises] for one in among}
    has = [one for one in among if (exercise in own[one] if exercise else own[one])]
    if not has:
        ids = " or ".join(f"`{one.id}`" for one in among)
        if not exercise:
            raise CourseError(
                f"There is no exercise in {ids} yet: `python -m autograder new ASSIGNMENT EXERCISE` "
                "begins one."
            )
        there = ", ".join(id for ids in own.values() for id in ids) or "none"
        raise CourseError(f"There is no exercise `{exercise}` in {ids}. There is: {there}.")
    return has


def those_with_mistake(mistake: str, among: Sequence[Assignment]) -> list[Assignment]:
    """Return those of the assignments `among` whose catalogue has the mistake with this id.

    Raises `CourseError` if none has, `GraderError` if a catalogue cannot be read.
    """
    ids = {assignment: {one.id for one in mistakes(assignment)} for assignment in among}
    has = [assignment for assignment in among if mistake in ids[assignment]]
    if not has:
        close = difflib.get_close_matches(mistake, set().union(*ids.values()))
        meant = f" Did you mean {' or '.join(f'`{one}`' for one in close)}?" if close else ""
        where = " or ".join(f"`{one.id}`" for one in among)
        raise CourseError(f"There is no mistake `{mistake}` in {where}.{meant}")
    return has


def as_edited(assignment: Assignment) -> Assignment:
    """Return the assignment with its source in the place of its release, so that it can be graded
    without being released.
    """
    return Assignment(assignment.id, replace(assignment.course, release=assignment.course.source))


@cache
def assignment_of(folder: Path) -> Assignment | None:
    """Return the assignment whose graders are in this folder; None if no course above it has
    graders there.

    The course is the nearest one above the folder. Raises `CourseError` if its configuration cannot be
    read.
    """
    root = next((one for one in folder.parents if (one / courses.CONFIG).is_file()), None)
    if root is None:
        return None
    course = courses.read_course(root)
    assignments = (Assignment(id, course) for id in courses.sources(course))
    return next((one for one in assignments if one.graders == folder), None)
