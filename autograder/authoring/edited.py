"""Assignments as they are edited: in `source/`, whether there is a release of them or not."""

from dataclasses import replace
from functools import cache
from pathlib import Path

from autograder.engine.assignment import Assignment, UnknownAssignment
from autograder.engine.course import CONFIG, Course, read_course


def sources(course: Course) -> list[str]:
    """The ids of a course's assignments, released or not, sorted."""
    notebooks = course.source.glob("*/*.ipynb")
    return sorted(path.stem for path in notebooks if path.stem == path.parent.name)


def find_source(id: str, course: Course) -> Assignment:
    """Return an assignment that may not be released yet. Raises `UnknownAssignment`."""
    known = sources(course)
    if id not in known:
        there = ", ".join(known) or "none"
        raise UnknownAssignment(
            f"There is no assignment `{id}` in `{course.source}`. There is: {there}."
        )
    return Assignment(id, course)


def as_edited(assignment: Assignment) -> Assignment:
    """Return the same with its source in the place of its release: no release is needed."""
    return Assignment(assignment.id, replace(assignment.course, release=assignment.course.source))


@cache
def assignment_of(folder: Path) -> Assignment | None:
    """Return the assignment whose graders are in this folder; None if it is no such folder.

    The course is the nearest one upwards from it. Raises `NoCourse`.
    """
    root = next((one for one in folder.parents if (one / CONFIG).is_file()), None)
    if root is None:
        return None
    course = read_course(root)
    assignments = (Assignment(id, course) for id in sources(course))
    return next((one for one in assignments if one.graders == folder), None)
