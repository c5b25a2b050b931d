"""Make the notebook for students, in memory, of an assignment that was never released."""

import logging
from collections.abc import Iterator
from pathlib import Path

import nbformat
from traitlets.config import Config
from traitlets.utils.importstring import import_item

from autograder.engine.courses.course import Course, read_config

CLEARS = "Clear"  # nbgrader's prefix of preprocessors that remove parts of a source


def unreleased(source: Path, course: Course) -> str:
    """Return the text of the source notebook, cleared as the course's releases are.

    No file is written. Links to figures stay links. Raise nbgrader's exceptions for a damaged
    source.
    """
    config, notebook = read_config(course.root), nbformat.read(source, as_version=4)
    silent = logging.Logger("nbgrader", logging.CRITICAL)  # nbgrader raises its errors, too
    for kind in _clearing(config):
        notebook, _ = kind(config=config, log=silent).preprocess(notebook, {})
    return nbformat.writes(notebook)


def _clearing(config: Config) -> Iterator[type]:
    from nbgrader import preprocessors  # takes a second: imported only if needed

    from autograder.engine.courses.clearing import ClearSolutions

    for preprocessor in config.GenerateAssignment.get("preprocessors") or _of_nbgrader():
        kind = import_item(preprocessor) if isinstance(preprocessor, str) else preprocessor
        if kind.__name__.startswith(CLEARS):
            yield ClearSolutions if kind is preprocessors.ClearSolutions else kind


def _of_nbgrader() -> list[type]:
    from nbgrader.converters import GenerateAssignment

    return GenerateAssignment.preprocessors.default()
