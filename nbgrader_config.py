"""nbgrader with our examiner: `Repair` comes first, and `Examine` stands where `Execute` stood."""

THEIRS = "nbgrader.preprocessors"

c = get_config()  # noqa: F821  given by traitlets
c.CourseDirectory.course_id = "transformer-encoder"
c.Autograde.sanitize_preprocessors = [
    "autograder.gradebook.preprocessors.Repair",
    *(f"{THEIRS}.{name}" for name in ("ClearOutput", "OverwriteKernelspec", "OverwriteCells")),
    f"{THEIRS}.CheckCellMetadata",
]
c.Autograde.autograde_preprocessors = [
    "autograder.gradebook.preprocessors.Examine",
    *(f"{THEIRS}.{name}" for name in ("LimitOutput", "SaveAutoGrades")),
    "autograder.gradebook.preprocessors.Penalise",
    f"{THEIRS}.CheckCellMetadata",
]
c.HTMLExporter.embed_images = True
c.Graders.directory = "autograder/graders"  # where the hidden graders lie, a folder an assignment
