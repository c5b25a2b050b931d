"""The settings of nbgrader that a course needs; see nbgrader_config.py."""

import sys
from pathlib import Path

from traitlets.config import Config

from autograder.gradebook.nbgrader_alone import keep_own_settings

THEIRS = "nbgrader.preprocessors"
OURS = "autograder.gradebook.preprocessors"
CLEARING = "autograder.engine.clearing"
FIGURES = "autograder.gradebook.one_file"
RELEASE_FILES = "autograder.authoring.release_files"  # a room above: nbgrader imports it
PAGES = "autograder.gradebook.pages"
EXPORTERS = "autograder.gradebook.exporters"
EXCHANGE = "autograder.gradebook.exchange"


def configure(c: Config) -> None:
    """Have nbgrader grade with our examiner, and make pages on which nothing of a student acts."""
    if "nbgrader.converters" in sys.modules:  # to import it takes a second
        from autograder.gradebook.guarded_nbgrader import install

        install()
    configure_pages(c)
    configure_release(c)
    keep_own_settings(c)
    c.Autograde.exporter_class = f"{EXPORTERS}.ReceivedNotebookExporter"
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
        f"{OURS}.SaveGrades",
        f"{OURS}.Penalise",
        f"{THEIRS}.CheckCellMetadata",
    ]
    c.ExchangeFactory.collect = f"{EXCHANGE}.CollectChecked"
    c.ExchangeFactory.release_feedback = f"{EXCHANGE}.ReleaseFeedbackBySecret"
    c.NbGrader.logging_config = {  # what it logs quotes names of students' files
        "filters": {"printable": {"()": "autograder.text.PrintableLog"}},
        "handlers": {"console": {"filters": ["printable"]}},
    }


def configure_release(c: Config) -> None:
    """Have nbgrader release notebooks with what stands beside them, and solutions without our marks."""
    c.GenerateSolution.preprocessors = [
        f"{THEIRS}.IncludeHeaderFooter",
        f"{THEIRS}.LockCells",
        f"{CLEARING}.ClearHoles",
        f"{THEIRS}.ClearOutput",
        f"{THEIRS}.ClearMarkScheme",
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
        f"{THEIRS}.ComputeChecksums",
        f"{THEIRS}.CheckCellMetadata",
        f"{RELEASE_FILES}.ReleaseFiles",
    ]


def configure_pages(c: Config) -> None:
    """Have nbgrader make pages on which nothing of a student acts."""
    c.HTMLExporter.extra_template_basedirs = [str(Path(__file__).parent / "pages" / "templates")]
    c.HTMLExporter.filters = {
        "code": "autograder.gradebook.check_cell.words_as_code",
        "shown": f"{PAGES}.cells.shown",
        "with_checks": f"{PAGES}.cells.with_checks",
        "marking_help": f"{PAGES}.marking.marking_help",
        "summary": f"{PAGES}.summary.summary",
    }
    c.GenerateFeedback.exporter_class = f"{EXPORTERS}.PageExporter"
    c.GenerateFeedback.preprocessors = [
        f"{THEIRS}.GetGrades",
        f"{PAGES}.details.GetDetails",
    ]
    c.HTMLExporter.default_preprocessors = []  # they read metadata that a student may have written
    c.HTMLExporter.embed_images = False  # it would embed any file that a student names
    if "nbgrader.server_extensions.formgrader" in sys.modules:
        from autograder.gradebook.pages.formgrader import guard_formgrader

        guard_formgrader()
