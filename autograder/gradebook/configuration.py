"""The settings of nbgrader that a course needs; see nbgrader_config.py."""

import sys

from traitlets.config import Config

from autograder.gradebook.settings import configure_pages, configure_release

GUARD = "autograder.gradebook.guarded_nbgrader"
EXCHANGE = "autograder.gradebook.exchange"


def configure(c: Config) -> None:
    """Set up nbgrader for a course with hidden graders, and pages on which no student code runs."""
    if "nbgrader.converters" in sys.modules:  # to import it takes a second
        import autograder.gradebook.guarded_nbgrader  # noqa: F401
    else:  # the first `Autograde` imports it
        c.Autograde.exporter_class = f"{GUARD}.NotebookExporter"
    configure_pages(c)
    configure_release(c)
    c.ExchangeFactory.collect = f"{EXCHANGE}.CollectChecked"
    c.ExchangeFactory.release_feedback = f"{EXCHANGE}.ReleaseFeedbackBySecret"
    c.NbGrader.logging_config = {  # what it logs quotes names of students' files
        "filters": {"printable": {"()": "autograder.text.printable.PrintableLog"}},
        "handlers": {"console": {"filters": ["printable"]}},
    }
