"""A small course of the tests' own: one assignment with a module, a function and a value."""

from autograder.gradebook.configuration import configure

c = get_config()  # noqa: F821  given by traitlets
configure(c)
c.CourseDirectory.course_id = "small-course"
c.Graders.directory = "graders"
