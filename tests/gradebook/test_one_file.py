"""A released notebook carries its figures, and fingerprints of what its cells were."""

import ast
import html
import re

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from autograder.authoring.publish import make_release
from autograder.engine.assignment import read_cells
from autograder.gradebook.one_file import EmbedFigures, FillInTable, svg_address
from autograder.toolbox.saved_notebook import fingerprint

LINK = re.compile(r"!\[([^\]]*)\]\((figures/[^)]+)\)")
SVG = b"<svg xmlns='http://www.w3.org/2000/svg'/>"


@pytest.mark.slow
def test_each_figure_of_the_source_is_in_the_release_with_its_words(assignment, tmp_path):
    made = make_release(assignment, tmp_path)
    source = {cell.id: cell.source for cell in read_cells(assignment.source)}
    release = {cell.id: cell.source for cell in read_cells(made / f"{assignment.id}.ipynb")}
    linked = [(id, *one) for id, text in source.items() for one in LINK.findall(text)]
    files = list(assignment.source.parent.glob("figures/*.svg"))
    assert len(linked) >= len(files) >= 10
    for id, alt, name in linked:
        address = svg_address((assignment.source.parent / name).read_bytes())
        assert f'<img alt="{html.escape(alt)}" src="{address}">' in release[id], name
    assert not any("figures/" in text for text in release.values())
    assert sorted(path.name for path in made.iterdir()) == [
        "README.md",
        "check.py",
        f"{assignment.id}.ipynb",
        "requirements.txt",
    ]


def processed(preprocessor, folder, *cells):
    notebook = new_notebook(cells=list(cells))
    made, _ = preprocessor().preprocess(notebook, {"metadata": {"path": str(folder)}})
    return made.cells


def test_words_that_html_would_read_otherwise_stay_words(tmp_path):
    (tmp_path / "a.svg").write_bytes(SVG)
    (cell,) = processed(
        EmbedFigures, tmp_path, new_markdown_cell('![A < "B"](a.svg) and ![C](b.png)')
    )
    assert cell.source == (
        f'<img alt="A &lt; &quot;B&quot;" src="{svg_address(SVG)}"> and ![C](b.png)'
    )


@pytest.mark.parametrize("name", ["../a.svg", "link.svg", "none.svg"])
def test_only_figures_of_the_assignment_are_taken(name, tmp_path):
    folder = tmp_path / "sheet"
    folder.mkdir()
    (tmp_path / "a.svg").write_bytes(SVG)
    (folder / "link.svg").symlink_to(tmp_path / "a.svg")
    with pytest.raises((OSError, ValueError)):
        processed(EmbedFigures, folder, new_markdown_cell(f"![x]({name})"))


def test_the_table_knows_what_grading_needs_and_nothing_else(tmp_path):
    answer = {"nbgrader": {"grade_id": "explain", "solution": True}}
    cells = processed(
        FillInTable,
        tmp_path,
        new_markdown_cell("# Title", id="title"),
        new_code_cell("x = 1  ", id="given"),
        new_code_cell("plot()", id="plot", metadata={"tags": ["skip-grading"]}),
        new_markdown_cell("Your answer", id="other", metadata=answer),
        new_code_cell("AS_RELEASED |= {}", id="as_released"),
    )
    names = {"AS_RELEASED": {}}
    exec(cells[-1].source, names)
    assert names["AS_RELEASED"] == {
        "given": fingerprint("x = 1"),
        "explain": fingerprint("Your answer"),
    }


@pytest.mark.slow
def test_every_cell_is_written_in_the_python_that_the_notebook_asks_for(assignment, tmp_path):
    made = make_release(assignment, tmp_path)
    cells = nbformat.read(made / f"{assignment.id}.ipynb", as_version=4).cells
    texts = [cell.source for cell in cells if cell.cell_type == "code"]
    assert any("sys.version_info < (3, 11)" in text for text in texts)
    for text in [*texts, (made / "check.py").read_text()]:
        plain = re.sub(r"^(\s*)[%!].*$", r"\1pass", text, flags=re.MULTILINE)
        ast.parse(plain, feature_version=(3, 11))
