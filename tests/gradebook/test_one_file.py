"""A released notebook carries its figures."""

import html
import re

import pytest
from nbformat.v4 import new_markdown_cell, new_notebook

from autograder.authoring.publish import make_release
from autograder.engine.courses import read_cells
from autograder.gradebook.sync.one_file import EmbedFigures, svg_address

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
    assert not list(made.glob("**/*.svg"))


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
