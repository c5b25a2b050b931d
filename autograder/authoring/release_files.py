"""The files that stand beside a released notebook: README, requirements, the check as one file."""

import re
from importlib.metadata import requires
from pathlib import Path

import nbformat
from jinja2 import Environment, PackageLoader, StrictUndefined

from autograder.authoring.exercise_table import CELL as EXERCISES
from autograder.authoring.toolbox_cell import FOR_CHECKING, toolbox_source
from autograder.engine.assignment import figures_in
from autograder.gradebook.one_file import TABLE, svg_address

PACKAGE = "autograder"
STUDENTS_NEED = ("torch", "matplotlib", "ipytest", "ipykernel", "jupyterlab")
PYTHON = "3.11 or newer"  # as in the notebook; a test holds it to what the cells are written in
TITLE = re.compile(r"^# +(.+)$", re.MULTILINE)
TEMPLATES = Environment(
    loader=PackageLoader("autograder.authoring", "templates/release"),
    keep_trailing_newline=True,
    undefined=StrictUndefined,
)


def add_files(folder: Path) -> None:
    """Write the files beside the one released notebook of a folder; remove figures that it holds."""
    (path,) = folder.glob("*.ipynb")
    cells = {cell.id: cell.source for cell in nbformat.read(path, as_version=4).cells}
    _remove_figures(folder, figures_in(cells.values()))
    checked = {TABLE, EXERCISES} <= cells.keys()
    _write(
        folder / "README.md",
        title=next(iter(TITLE.findall("\n".join(cells.values()))), path.stem),
        assignment=path.stem,
        check=checked,
    )
    _write(folder / "requirements.txt", python=PYTHON, requirements=pinned())
    if checked:
        _write(
            folder / "check.py",
            assignment=path.stem,
            toolbox=toolbox_source(FOR_CHECKING, head="").strip(),
            exercises=cells[EXERCISES],
            table=cells[TABLE],
        )


def pinned() -> list[str]:
    """The packages that a student needs, in the versions of this project."""
    known = {re.split(r"[=;\s]", one)[0]: one.partition(";")[0] for one in requires(PACKAGE) or ()}
    return [known[name].strip() for name in STUDENTS_NEED]


def _remove_figures(folder: Path, figures: frozenset[str]) -> None:
    for path in sorted(folder.rglob("*.svg")):
        if svg_address(path.read_bytes()) in figures:
            path.unlink()
            if not any(path.parent.iterdir()):
                path.parent.rmdir()


def _write(path: Path, **words: object) -> None:
    text = TEMPLATES.get_template(f"{path.name}.jinja").render(words)
    path.write_text(text, encoding="utf-8")
