"""nbgrader with our examiner: `Repair` comes first, and `Examine` replaces `Execute`."""

THEIRS = "nbgrader.preprocessors"

c = get_config()  # noqa: F821  given by traitlets
c.CourseDirectory.course_id = "transformer-encoder"
c.Graders.directory = "autograder/graders"  # where the hidden graders are, from this folder
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
c.HTMLExporter.embed_images = True
