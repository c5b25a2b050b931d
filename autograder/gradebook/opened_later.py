"""A course's gradebook that is opened when somebody needs it: nbgrader takes a second to import."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

from autograder.engine.course import Course, NoCourse, read_config
from autograder.gradebook.late import LateRules, read_rules
from autograder.gradebook.url import NoGradebook, check_gradebook

if TYPE_CHECKING:
    from autograder.gradebook.nbgrader_course import NbgraderCourse


class OpenedLater:
    """An `NbgraderCourse` from the first time on that something is asked of it which needs nbgrader.

    What can be wrong with its address is said at once. Raises `NoCourse`.
    """

    def __init__(self, course: Course, address: str | None = None):
        """`address`: of another gradebook than the course's."""
        self.course = course
        self.address = address
        try:
            check_gradebook(address or address_of(course))
        except NoGradebook as error:
            raise NoCourse(str(error)) from error

    def late_rules(self) -> LateRules:
        """Return what being late costs. Raises `NoCourse`, `PolicyError`."""
        return read_rules(self.course)

    @cached_property
    def opened(self) -> NbgraderCourse:
        from autograder.gradebook.nbgrader_course import NbgraderCourse

        return NbgraderCourse(self.course, self.address)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.opened, name)


def address_of(course: Course) -> str:
    """Return the address of a course's gradebook, as nbgrader has it. Raises `NoCourse`."""
    folders = read_config(course.root).CourseDirectory
    return folders.get("db_url", f"sqlite:///{course.root / 'gradebook.db'}")
