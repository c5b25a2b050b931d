"""The notebook as students will get it, of an assignment that was never released: made in memory."""

import logging
from pathlib import Path

import nbformat

from autograder.engine.course import Course, read_config

CLEARING = "ClearSolutions ClearOutput ClearHiddenTests ClearMarkScheme".split()


def unreleased(source: Path, course: Course) -> str:
    """Return the source's text without solutions, as nbgrader clears it; figures stay links.

    No file is written. Raises whatever a damaged source makes nbgrader raise.
    """
    from nbgrader import preprocessors  # takes a second: only where it is needed

    config, notebook = read_config(course.root), nbformat.read(source, as_version=4)
    silent = logging.Logger("nbgrader", logging.CRITICAL)  # what it would log is raised, too
    for name in CLEARING:
        clear = getattr(preprocessors, name)(config=config, log=silent)
        notebook, _ = clear.preprocess(notebook, {})
    return nbformat.writes(notebook)
