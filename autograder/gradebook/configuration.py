"""Configure nbgrader for a course with hidden graders. `nbgrader_config.py` calls `configure`."""

import sys

from traitlets.config import Config

from autograder.gradebook.sync.settings import configure_pages, configure_release

GUARD = "autograder.gradebook.sync.guarded_nbgrader"
EXCHANGE = "autograder.gradebook.sync.exchange"
COLLECT = "autograder.platforms.collect.through_nbgrader"  # a room above: nbgrader imports it


def configure(c: Config) -> None:
    """Make nbgrader use hidden graders, check submissions, and run no student's code for pages."""
    if "nbgrader.converters" in sys.modules:  # the import takes a second
        import autograder.gradebook.sync.guarded_nbgrader  # noqa: F401
    else:  # the first `Autograde` imports it
        c.Autograde.exporter_class = f"{GUARD}.NotebookExporter"
    configure_pages(c)
    configure_release(c)
    c.ExchangeFactory.collect = f"{COLLECT}.CollectChecked"
    c.ExchangeFactory.release_assignment = f"{EXCHANGE}.ReleaseAssignment"
    c.ExchangeFactory.release_feedback = f"{EXCHANGE}.ReleaseFeedbackBySecret"
    c.NbGrader.logging_config = {  # log messages quote names of students' files
        "filters": {"printable": {"()": "autograder.engine.texts.printable.PrintableLog"}},
        "handlers": {"console": {"filters": ["printable"]}},
    }
