"""Make, in memory, the notebook that students would get of an assignment that was never released."""

import logging
from collections.abc import Iterator
from pathlib import Path

import nbformat
from traitlets.config import Config
from traitlets.utils.importstring import import_item

from autograder.engine.courses.course import Course, read_config

CLEARS = "Clear"  # how nbgrader names what takes something out of a source


def unreleased(source: Path, course: Course) -> str:
    """Return the text of the source notebook without solutions, cleared as the course's releases
    are. Links to figures stay links.

    No file is written. Raise whatever nbgrader raises for a damaged source.
    """
    config, notebook = read_config(course.root), nbformat.read(source, as_version=4)
    silent = logging.Logger("nbgrader", logging.CRITICAL)  # what it would log is raised, too
    for kind in _clearing(config):
        notebook, _ = kind(config=config, log=silent).preprocess(notebook, {})
    return nbformat.writes(notebook)


def _clearing(config: Config) -> Iterator[type]:
    """Yield the preprocessors of the course's releases that remove something from a notebook, in
    order.
    """
    from nbgrader import preprocessors  # takes a second: only where it is needed

    from autograder.engine.courses.clearing import ClearSolutions

    for one in config.GenerateAssignment.get("preprocessors") or _of_nbgrader():
        kind = import_item(one) if isinstance(one, str) else one
        if kind.__name__.startswith(CLEARS):
            yield ClearSolutions if kind is preprocessors.ClearSolutions else kind


def _of_nbgrader() -> list[type]:
    """Return nbgrader's default preprocessors, which are used if the course configures none."""
    from nbgrader.converters import GenerateAssignment

    return GenerateAssignment.preprocessors.default()
