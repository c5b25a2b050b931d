"""The settings of nbgrader that a course needs; see nbgrader_config.py."""

import sys
from pathlib import Path

from traitlets.config import Config

from autograder.gradebook.guard import guard_nbgrader

THEIRS = "nbgrader.preprocessors"
OURS = "autograder.gradebook.preprocessors"
PAGES = "autograder.gradebook.pages"


def configure(c: Config) -> None:
    """Have nbgrader grade with our examiner, and make pages on which nothing of a student acts."""
    guard_nbgrader()
    configure_pages(c)
    c.Autograde.sanitize_preprocessors = [
        f"{OURS}.Repair",
        f"{THEIRS}.ClearOutput",
        f"{THEIRS}.OverwriteKernelspec",
        f"{THEIRS}.OverwriteCells",
        f"{THEIRS}.CheckCellMetadata",
    ]
    c.Autograde.autograde_preprocessors = [
        f"{OURS}.Examine",
        f"{THEIRS}.LimitOutput",
        f"{THEIRS}.SaveAutoGrades",
        f"{OURS}.Penalise",
        f"{THEIRS}.CheckCellMetadata",
    ]
    c.NbGrader.logging_config = {  # what it logs quotes names of students' files
        "filters": {"printable": {"()": "autograder.text.PrintableLog"}},
        "handlers": {"console": {"filters": ["printable"]}},
    }


def configure_pages(c: Config) -> None:
    """Have nbgrader make pages on which nothing of a student acts."""
    c.HTMLExporter.extra_template_basedirs = [str(Path(__file__).parent / "pages" / "templates")]
    c.HTMLExporter.filters = {
        "shown": f"{PAGES}.cells.shown",
        "with_checks": f"{PAGES}.cells.with_checks",
    }
    c.HTMLExporter.default_preprocessors = []  # they read metadata that a student may have written
    c.HTMLExporter.embed_images = False  # it would embed any file that a student names
    if "nbgrader.server_extensions.formgrader" in sys.modules:
        from autograder.gradebook.pages.formgrader import guard_formgrader

        guard_formgrader()
