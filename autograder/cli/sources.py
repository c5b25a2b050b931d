"""Locate the data of a class for `report` and `show`: results, submissions, course and gradebook."""

from dataclasses import dataclass, field
from pathlib import Path

from autograder.engine.course.course import Course, NoCourse, find_course
from autograder.gradebook.database import gradebook_of
from autograder.platforms.grades import assignments_in


@dataclass
class Sources:
    """The locations of the data; `without` has a sentence on each missing one."""

    results: Path
    assignments: list[str]
    submitted: Path
    course: Course | None
    gradebook: str | None  # URL
    without: list[str] = field(default_factory=list)


def find_sources(
    results: Path,
    assignment: str | None,
    submitted: Path | None,
    course: Path | None,
    gradebook: str | None,
    use_gradebook: bool,
) -> Sources:
    """Find what there is, of one assignment or of all. Raises `CommandError`, and `NoCourse`
    for one that was named.
    """
    folder, known = assignments_in(results, assignment)
    where, without = None, []
    try:
        where = find_course(course)
    except NoCourse as error:
        if course is not None:
            raise
        without.append(f"{error} Until then: nothing of a gradebook.")
    place = submitted or (where.root / "submitted" if where else Path("submitted"))
    url = gradebook_of(where, gradebook) if use_gradebook else None
    return Sources(folder, known, place, where, url, without)
