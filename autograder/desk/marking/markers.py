"""The names of those who mark by hand, as `nbgrader_config.py` lists them."""

from typing import NamedTuple

from traitlets import List, Unicode

from autograder.engine import AutograderError, Course, courses
from autograder.gradebook.lateness.course_settings import CourseSettings


class Marking(CourseSettings):
    """The settings of a course for marking by hand."""

    markers = List(
        Unicode(), help="the names of those who mark, such as ['kim', 'lee']; each gets a share"
    ).tag(config=True)


class CourseMarker(NamedTuple):
    """One of a course's markers: the name as the configuration has it, and the share of the
    answers, as `marking list --for K/N` takes it.
    """

    name: str
    number: int  # from 1
    markers: int  # how many the course has


def markers_of(course: Course) -> list[str]:
    """Return the names of the course's markers, in the order of its configuration; [] if it lists
    none.

    Raises `AutograderError` if the setting is no list of names, each once, or misspelt; `CourseError` if the
    configuration cannot be read.
    """
    names = [name.strip() for name in Marking(config=courses.read_config(course.root)).markers]
    if not all(names) or len({name.casefold() for name in names}) < len(names):
        raise AutograderError("c.Marking.markers has an empty name, or one name twice.")
    return names


def find_marker(course: Course, name: str) -> CourseMarker:
    """Return the course's marker of this name, which is compared without regard to upper and lower
    case.

    Raises `AutograderError` if the course has no marker of that name, or if the setting cannot be
    used; `CourseError` if the configuration cannot be read.
    """
    names = markers_of(course)
    for number, one in enumerate(names, 1):
        if one.casefold() == name.casefold():
            return CourseMarker(one, number, len(names))
    listed = ", ".join(names) or "nobody yet"
    raise AutograderError(
        f"c.Marking.markers in nbgrader_config.py does not name {name!r:.60}: it has {listed}. "
        "Write the name as it stands there, or add it there."
    )
