"""Find the data of a class for `report` and `show`: results, submissions, course and gradebook."""

from dataclasses import dataclass
from pathlib import Path

from autograder.classroom.groups import CourseGroups
from autograder.engine import Course, CourseError, find_course
from autograder.gradebook.grades import assignments_in
from autograder.gradebook.sync.database import gradebook_of
from autograder.gradebook.sync.group_marks import share_group_marks


@dataclass
class Sources:
    """The locations of the data of a class, and the ids of its assignments."""

    results: Path
    assignments: list[str]
    submitted: Path
    course: Course | None
    gradebook: str | None  # URL
    without: list[str]  # sentences on a missing course, and on groups that are not clear
    groups: CourseGroups


def find_sources(
    results: Path,
    assignment: str | None,
    submitted: Path | None,
    course: Path | None,
    gradebook: str | None,
    use_gradebook: bool,
) -> Sources:
    """Return the data that exist.

    `assignment`: None for all in `results`. `submitted`: the folder of submissions, None for the
    course's. `course`: None for the nearest. `gradebook`: a URL, None for the course's.
    `use_gradebook`: whether to look for a gradebook. Raises `AutograderError` if the results
    or the named gradebook do not exist, `CourseError` if the named course does not.
    """
    folder, ids = assignments_in(results, assignment)
    found_course, without = None, []
    try:
        found_course = find_course(course)
    except CourseError as error:
        if course is not None:
            raise
        without.append(f"{error} Until then: nothing of a gradebook.")
    place = submitted or (found_course.root / "submitted" if found_course else Path("submitted"))
    url = gradebook_of(found_course, gradebook) if use_gradebook else None
    groups = CourseGroups(found_course.root if found_course else place.parent, place)
    for id in ids:
        without += groups.of(id).notes
        without += share_group_marks(url, id, groups.of(id)) if url else []
    return Sources(folder, ids, place, found_course, url, without, groups)
