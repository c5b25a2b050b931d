"""Set nbgrader's configuration for releases, and for pages on which no student's code runs."""

import sys
from pathlib import Path

from traitlets.config import Config

THEIRS = "nbgrader.preprocessors"
CLEARING = "autograder.engine.courses.clearing"
FIGURES = "autograder.gradebook.sync.one_file"
RELEASE_FILES = "autograder.authoring.release_files"  # a room above: nbgrader imports it
PAGES = "autograder.gradebook.pages"


def configure_release(c: Config) -> None:
    """Configure releases: a release has the files beside its notebook, without solutions and
    marking schemes. A notebook of the solution has no `#@` comments with names of slots, example
    answers or nbgrader's mark schemes. The source itself stays unchanged.
    """
    c.GenerateSolution.preprocessors = [
        f"{THEIRS}.IncludeHeaderFooter",
        f"{THEIRS}.LockCells",
        f"{CLEARING}.ClearHoles",
        f"{THEIRS}.ClearOutput",
        f"{THEIRS}.ClearMarkScheme",
        f"{CLEARING}.ClearExamples",
        f"{THEIRS}.Execute",
    ]
    c.GenerateAssignment.preprocessors = [
        f"{THEIRS}.IncludeHeaderFooter",
        f"{THEIRS}.InstantiateTests",
        f"{FIGURES}.EmbedFigures",
        f"{THEIRS}.LockCells",
        f"{CLEARING}.ClearSolutions",
        f"{THEIRS}.ClearOutput",
        f"{THEIRS}.CheckCellMetadata",
        f"{THEIRS}.ComputeChecksums",
        f"{THEIRS}.SaveCells",
        f"{THEIRS}.ClearHiddenTests",
        f"{THEIRS}.ClearMarkScheme",
        f"{CLEARING}.ClearLeftovers",
        f"{THEIRS}.ComputeChecksums",
        f"{THEIRS}.CheckCellMetadata",
        f"{RELEASE_FILES}.ReleaseFiles",
    ]
    c.ClearMarkScheme.check_attachment_leakage = False  # ClearLeftovers removes the attachment


def configure_pages(c: Config) -> None:
    """Make formgrader and feedback use our templates, without running a student's code."""
    c.Graders.configured = True  # one process may serve other courses, too
    package = Path(__file__).parents[2]
    rooms = package / "gradebook" / "pages", package / "classroom" / "blocks"
    c.HTMLExporter.extra_template_basedirs = [str(room / "templates") for room in rooms]
    c.HTMLExporter.filters = {
        "code": "autograder.classroom.blocks.html.words_as_code",
        "shown": f"{PAGES}.cells.shown",
        "marking_help": f"{PAGES}.marking.marking_help",
        "shown_blocks": f"{PAGES}.cells.shown_blocks",
        "notes_on_all": f"{PAGES}.cells.notes_on_all",
        "with_own_headings": f"{PAGES}.summary.with_own_headings",
        "lines": f"{PAGES}.summary.lines",
        "printable": "autograder.engine.texts.printable.printable_lines",
        "repairs": f"{PAGES}.summary.repairs",
    }
    c.GenerateFeedback.exporter_class = "autograder.gradebook.pages.exporters.PageExporter"
    c.GenerateFeedback.preprocessors = [
        f"{THEIRS}.GetGrades",
        f"{PAGES}.details.GetDetails",
    ]
    c.HTMLExporter.default_preprocessors = []  # they read metadata that a student may have written
    c.HTMLExporter.embed_images = False  # it would embed any file that a student names
    if "nbgrader.server_extensions.formgrader" in sys.modules:
        from autograder.gradebook.pages.formgrader import guard_formgrader

        guard_formgrader()
