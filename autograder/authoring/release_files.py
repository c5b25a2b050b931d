"""Make the files beside a released notebook, and fill in the call in its set-up cell.

nbgrader runs this as a preprocessor, so that `make release` and formgrader write the same release.
"""

import re
from collections.abc import Sequence
from importlib.metadata import version as version_of
from pathlib import Path
from pprint import pformat

from nbformat.notebooknode import NotebookNode
from nbgrader.preprocessors import NbGraderPreprocessor
from traitlets import Unicode

from autograder.authoring.exercise_table import exercise_table, overview_of, ungraded_exercises
from autograder.authoring.toolbox.released import NAME, Released, checks_module
from autograder.authoring.toolbox.supported import FOR_SLIDERS, OLDEST
from autograder.authoring.toolbox_file import (
    CALL,
    FILE,
    SET_UP,
    call_of_set_up,
    rendered,
    toolbox_source,
)
from autograder.engine import courses
from autograder.gradebook.sync.one_file import has_hidden_graders

STUDENTS_NEED = (
    "torch",
    "matplotlib",
    "ipytest",
    "ipywidgets",
    "safetensors",
    "ipykernel",
    "jupyterlab",
)
AGENTS = "AGENTS.md"  # for all assignments: source/AGENTS.md, or else the package's
TITLE = re.compile(r"^# +(.+)$", re.MULTILINE)


class ReleaseFiles(NbGraderPreprocessor):
    """A preprocessor of nbgrader that adds files to a release.

    The files are the toolbox, the visible checks, README, requirements and rules for AI assistants.
    """

    address = Unicode(
        help="Where the folders of release/ can be fetched from by notebooks in Colab and Kaggle."
    ).tag(config=True)

    def preprocess(self, nb: NotebookNode, resources: dict) -> tuple[NotebookNode, dict]:
        """Fill in the set-up cell of the notebook `nb`, and add the files to the outputs.

        nbgrader writes the outputs in `resources`. Assignments without hidden graders are not
        changed. Raises `OSError` if a file in `source/` cannot be read.
        """
        if not has_hidden_graders(self.parent):
            return nb, resources
        folder, id = Path(resources["metadata"]["path"]), resources["unique_key"]
        cells = [courses.pristine_cell(cell) for cell in nb.cells if "id" in cell]
        files = files_beside(id, cells, folder)
        resources.setdefault("outputs", {}).update(files)
        for cell in nb.cells:
            if cell.get("id") == SET_UP:
                call = call_of_set_up(id, files, self.address and f"{self.address}/{id}/")
                cell.source = CALL.sub(lambda _: call, cell.source)  # noqa: B023  called at once
        return nb, resources


def files_beside(id: str, cells: Sequence[courses.PristineCell], folder: Path) -> dict[str, bytes]:
    """Return the contents of the files beside a released notebook, by name.

    `cells`: all of the notebook. `folder`: the assignment's folder in `source/`.
    """
    checks = folder / f"{checks_module(id)}.py"
    title = next(iter(TITLE.findall("\n".join(cell.source for cell in cells))), id)
    weights = {file.name: file.read_bytes() for file in sorted(folder.glob("*.safetensors"))}
    words = {
        "title": title,
        "assignment": id,
        "checks": checks.name if checks.is_file() else "",
        "weights": [*weights],
        "scripts": sorted(file.name for file in folder.glob("*.py") if file != checks),
        "oldest": oldest_versions(),
        "python": OLDEST["Python"],
        "sliders": f"{FOR_SLIDERS} {OLDEST[FOR_SLIDERS]}",
        "packages": pinned(),
    }
    agents = folder.parent / AGENTS
    files = {
        "README.md": rendered("release/README.md", words),
        "requirements.txt": rendered("release/requirements.txt", words),
        AGENTS: agents.read_text(encoding="utf-8")
        if agents.is_file()
        else rendered(f"release/{AGENTS}", words),
    }
    if checks.is_file():
        released = released_parts(cells)._replace(
            overview=overview_of(folder) or "",
            notebook=f"{id}.ipynb",
        )
        files[checks.name] = checks.read_text(encoding="utf-8") + released_text(released)
        files[FILE] = toolbox_source()
    return {name: text.encode() for name, text in files.items()} | weights


def released_parts(cells: Sequence[courses.PristineCell]) -> Released:
    """Return the data of a release that the toolbox needs. `cells`: all of the notebook."""
    ungraded = tuple(ungraded_exercises(cells))
    return Released(exercise_table(cells), [*map(courses.released_cell, cells)], ungraded=ungraded)


def released_text(released: Released) -> str:
    """Return this data as Python code, which `release` appends to the file of visible checks."""
    table = {id: exercise._asdict() for id, exercise in released.exercises.items()}
    cells = [tuple(cell) for cell in released.cells]
    fields = released._asdict() | {"exercises": table, "cells": cells}
    del fields["checks"]  # the file itself
    literal = pformat(fields, width=100, sort_dicts=False)
    return f"\n\n# Made by `release`: the exercises, fingerprints of the cells, the map.\n{NAME} = {literal}\n"


def oldest_versions() -> str:
    """Return in words the oldest versions of Python and packages that the notebooks run with."""
    *earlier_versions, last_version = [
        f"{name} {oldest}" for name, oldest in OLDEST.items() if name != FOR_SLIDERS
    ]
    return f"{', '.join(earlier_versions)} and {last_version}"


def pinned() -> list[str]:
    """Return the packages for students as requirements, with the versions installed here."""
    return [f"{name}=={version_of(name).partition('+')[0]}" for name in STUDENTS_NEED]
