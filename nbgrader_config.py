"""nbgrader with our examiner in it, and with pages on which nothing of a student acts."""

from autograder.gradebook.configuration import configure

c = get_config()  # noqa: F821  given by traitlets
configure(c)
c.CourseDirectory.course_id = "transformer-encoder"
c.Graders.directory = "autograder/graders"  # where the hidden graders are, from this folder
