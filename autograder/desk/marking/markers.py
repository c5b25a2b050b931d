"""The names of markers, as `nbgrader_config.py` lists them."""

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
    """A marker of a course, with a number for `marking list --for K/N`."""

    name: str  # as the configuration spells it
    number: int  # from 1
    markers: int  # number of markers in the course


def markers_of(course: Course) -> list[str]:
    """Return the names of the course's markers, in the order of its configuration.

    Raises `AutograderError` if the setting has an empty or repeated name or is misspelt,
    `CourseError` if the configuration cannot be read.
    """
    names = [name.strip() for name in Marking(config=courses.read_config(course.root)).markers]
    if not all(names) or len({name.casefold() for name in names}) < len(names):
        raise AutograderError("c.Marking.markers has an empty name, or one name twice.")
    return names


def find_marker(course: Course, name: str) -> CourseMarker:
    """Return the course's marker with this name, ignoring upper and lower case. Raises
    `AutograderError` if no marker has it or the setting cannot be used, `CourseError` if the
    configuration cannot be read.
    """
    names = markers_of(course)
    for number, marker_name in enumerate(names, 1):
        if marker_name.casefold() == name.casefold():
            return CourseMarker(marker_name, number, len(names))
    listed = ", ".join(names) or "nobody yet"
    raise AutograderError(
        f"c.Marking.markers in nbgrader_config.py does not name {name!r:.60}: it has {listed}. "
        "Write the name as it stands there, or add it there."
    )
