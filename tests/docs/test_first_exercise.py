"""The page on a first exercise, followed: its commands, its files, and the output that it quotes."""

import re
import shutil
import sys
from pathlib import Path

import nbformat
import pytest
from typed_commands import TOP, blocks, type_in

pytestmark = [pytest.mark.walls, pytest.mark.long, pytest.mark.timeout(1200)]

PAGE = "first-exercise.md"
GRADERS = Path("autograder") / "graders" / "warm_up"


def fenced(language: str) -> list[str]:
    """The blocks of this page in a language, in their order."""
    return re.findall(rf"```{language}\n(.*?)```", (TOP / "docs" / PAGE).read_text("utf-8"), re.S)


@pytest.fixture
def checkout(tmp_path) -> Path:
    """A folder in which `make` finds this project, and no assignment."""
    for name in ("Makefile", "nbgrader_config.py", "pyproject.toml", "requirements.lock"):
        shutil.copy(TOP / name, tmp_path)
    python = tmp_path / ".venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.write_text(f'#!/bin/sh\nexec {sys.executable} "$@"\n')
    python.chmod(0o755)
    (tmp_path / ".venv" / ".made").touch()
    return tmp_path


def replace_from(file: Path, start: str, text: str) -> None:
    """Replace the text of a file from `start` to the end."""
    before, found, _ = file.read_text("utf-8").partition(start)
    assert found
    file.write_text(before + text, "utf-8")


def replace_cells(file: Path, **sources: str) -> None:
    """Replace cells of a notebook, by id."""
    notebook = nbformat.read(file, as_version=4)
    cells = {cell.id: cell for cell in notebook.cells}
    for name, source in sources.items():
        cells[name].source = source
    nbformat.write(notebook, file)


def test_a_first_exercise_goes_from_nothing_to_a_green_matrix_and_a_release(checkout):
    begin, gap, closed, everything, release = blocks(PAGE)
    quoted = iter(fenced("text"))
    goal, mistakes = fenced("markdown")
    solution, steps, reference, grader, third_axis, variant = fenced("python")
    source, graders = checkout / "source" / "warm-up", checkout / GRADERS

    def type_and_compare(block: str) -> None:
        """Type a block; the output has each line that the page quotes below it."""
        lines = {" ".join(line.split()) for line in type_in(checkout, block).splitlines()}
        expected = {" ".join(line.split()) for line in next(quoted).splitlines()}
        assert expected <= lines

    type_and_compare(begin)
    title = "# Warm-up\n\nYou normalize vectors."
    replace_cells(
        source / "warm-up.ipynb", title=title, rms_norm_goal=goal, rms_norm=solution.rstrip()
    )
    replace_from(source / "warm_up_checks.py", "@toolbox.steps", steps)
    replace_from(graders / "reference.py", "def rms_norm", reference)
    (graders / "test_rms_norm.py").write_text(grader, "utf-8")
    (graders / "mistakes" / "rms_norm.md").write_text(mistakes, "utf-8")
    type_and_compare(f"{gap.rstrip()} || test $? = 2\n")

    narrow = "    x = torch.randn(3, 5)\n"
    assert narrow in grader and gap == closed
    (graders / "test_rms_norm.py").write_text(grader.replace(narrow, third_axis), "utf-8")
    type_and_compare(closed)
    (graders / "variants" / "rms_norm.py").write_text(variant, "utf-8")
    type_and_compare(everything)
    type_and_compare(release)
    assert (checkout / "release" / "warm-up" / "warm-up.ipynb").is_file()
