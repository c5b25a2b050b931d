"""A small course of the tests' own: one assignment with a module, a function and a value."""

THEIRS = "nbgrader.preprocessors"

c = get_config()  # noqa: F821  given by traitlets
c.CourseDirectory.course_id = "small-course"
c.Autograde.sanitize_preprocessors = [
    "autograder.gradebook.preprocessors.Repair",
    f"{THEIRS}.ClearOutput",
    f"{THEIRS}.OverwriteKernelspec",
    f"{THEIRS}.OverwriteCells",
    f"{THEIRS}.CheckCellMetadata",
]
c.Autograde.autograde_preprocessors = [
    "autograder.gradebook.preprocessors.Examine",
    f"{THEIRS}.LimitOutput",
    f"{THEIRS}.SaveAutoGrades",
    "autograder.gradebook.preprocessors.Penalise",
    f"{THEIRS}.CheckCellMetadata",
]
c.Graders.directory = "graders"
