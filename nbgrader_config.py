"""nbgrader with our examiner: its preprocessors stand where `Execute` stood."""

from nbgrader.preprocessors import (
    AssignLatePenalties,
    CheckCellMetadata,
    ClearOutput,
    LimitOutput,
    OverwriteCells,
    OverwriteKernelspec,
    SaveAutoGrades,
)

from autograder.gradebook import Examine, Repair

c = get_config()  # noqa: F821  given by traitlets
c.CourseDirectory.course_id = "transformer-encoder"
c.Autograde.sanitize_preprocessors = [
    *(Repair, ClearOutput, OverwriteKernelspec, OverwriteCells, CheckCellMetadata),
]
c.Autograde.autograde_preprocessors = [
    *(Examine, LimitOutput, SaveAutoGrades, AssignLatePenalties, CheckCellMetadata),
]
c.HTMLExporter.embed_images = True
