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
    sources = courses.sources(course)
    if id not in sources:
        ids = ", ".join(sources) or "none"
        raise CourseError(f"There is no assignment `{id}` in `{course.source}`. There is: {ids}.")
    return Assignment(id, course)


def find_sources(names: Sequence[str], course: Course) -> list[Assignment]:
    """Return the assignments with these ids (`names`), or all in `source/` if `names` is empty.

    Raises `CourseError` if an id does not exist, or if there is no assignment.
    """
    assignments = [find_source(name, course) for name in names or courses.sources(course)]
    if not assignments:
        raise courses.nothing_to_grade(course)
    return assignments


def those_with(exercise: str, among: Sequence[Assignment]) -> list[Assignment]:
    """Return the assignments that have this exercise, or any exercise if it is "".

    Raises `CourseError` if there are none.
    """
    exercise_ids = {
        assignment: [assigned.id for assigned in assignment.exercises] for assignment in among
    }
    matching = [
        assignment
        for assignment in among
        if (exercise in exercise_ids[assignment] if exercise else exercise_ids[assignment])
    ]
    if not matching:
        ids = " or ".join(f"`{assignment.id}`" for assignment in among)
        if not exercise:
            raise CourseError(
                f"There is no exercise in {ids} yet: `python -m autograder new ASSIGNMENT EXERCISE` "
                "begins one."
            )
        existing = ", ".join(id for ids in exercise_ids.values() for id in ids) or "none"
        raise CourseError(f"There is no exercise `{exercise}` in {ids}. There is: {existing}.")
    return matching


def those_with_mistake(mistake: str, among: Sequence[Assignment]) -> list[Assignment]:
    """Return the assignments whose catalogue has the mistake with this id.

    Raises `CourseError` if there are none, `GraderError` if a catalogue cannot be read.
    """
    ids = {
        assignment: {known_mistake.id for known_mistake in mistakes(assignment)}
        for assignment in among
    }
    matching = [assignment for assignment in among if mistake in ids[assignment]]
    if not matching:
        similar_ids = difflib.get_close_matches(mistake, set().union(*ids.values()))
        suggestion = (
            f" Did you mean {' or '.join(f'`{id}`' for id in similar_ids)}?" if similar_ids else ""
        )
        searched = " or ".join(f"`{assignment.id}`" for assignment in among)
        raise CourseError(f"There is no mistake `{mistake}` in {searched}.{suggestion}")
    return matching


def as_edited(assignment: Assignment) -> Assignment:
    """Return the assignment with its source as its release, so that it can be graded unreleased."""
    return Assignment(assignment.id, replace(assignment.course, release=assignment.course.source))


@cache
def assignment_of(folder: Path) -> Assignment | None:
    """Return the assignment whose graders are in this folder, or None.

    The course is the nearest course above the folder. Raises `CourseError` if its configuration
    cannot be read.
    """
    root = next((parent for parent in folder.parents if (parent / courses.CONFIG).is_file()), None)
    if root is None:
        return None
    course = courses.read_course(root)
    assignments = (Assignment(id, course) for id in courses.sources(course))
    return next((assignment for assignment in assignments if assignment.graders == folder), None)
