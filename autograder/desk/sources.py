"""Find where the data of a class are, for `report` and `show`: results, submissions, course and
gradebook.
"""

from dataclasses import dataclass
from pathlib import Path

from autograder.classroom.groups import CourseGroups
from autograder.engine import Course, CourseError, find_course
from autograder.gradebook.grades import assignments_in
from autograder.gradebook.sync.database import gradebook_of
from autograder.gradebook.sync.group_marks import share_group_marks


@dataclass
class Sources:
    """Where the data of a class are, and the ids of its assignments; `course` and `gradebook` (a
    URL) are None if there is none. `without` has a sentence if no course was found. It also has a
    sentence for each group that is not clear.
    """

    results: Path
    assignments: list[str]
    submitted: Path
    course: Course | None
    gradebook: str | None  # URL
    without: list[str]
    groups: CourseGroups


def find_sources(
    results: Path,
    assignment: str | None,
    submitted: Path | None,
    course: Path | None,
    gradebook: str | None,
    use_gradebook: bool,
) -> Sources:
    """Return where the data are, as far as they exist.

    `assignment`: only this one, None for all in `results`; `submitted`: the folder of submissions,
    None for the course's; `course`: None for the nearest; `gradebook`: a URL, None for the
    course's; `use_gradebook`: whether a gradebook is looked for at all. Raises `AutograderError` if
    there are no results or the gradebook that `gradebook` names does not exist, `CourseError` if
    the given course is none.
    """
    folder, known = assignments_in(results, assignment)
    where, without = None, []
    try:
        where = find_course(course)
    except CourseError as error:
        if course is not None:
            raise
        without.append(f"{error} Until then: nothing of a gradebook.")
    place = submitted or (where.root / "submitted" if where else Path("submitted"))
    url = gradebook_of(where, gradebook) if use_gradebook else None
    groups = CourseGroups(where.root if where else place.parent, place)
    for id in known:
        without += groups.of(id).notes
        without += share_group_marks(url, id, groups.of(id)) if url else []
    return Sources(folder, known, place, where, url, without, groups)
