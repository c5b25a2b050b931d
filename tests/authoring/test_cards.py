"""An exercise's card, its box in the overview and the cell `exercises` say the same of it."""

import re
import shutil
from dataclasses import replace
from pathlib import Path

import nbformat
import pytest

from autograder.authoring.cards import card_pieces
from autograder.authoring.edited import as_edited, find_source, sources
from autograder.authoring.exercise_table import exercise_table
from autograder.authoring.overview import FIGURE, exercises_in, write_overview
from autograder.engine.assignment import Assignment
from autograder.engine.course import find_course

COURSE = find_course()
WORDS = 40  # of prose in a cell, what is folded away apart
FOLDED = re.compile(r"<details>.*?</details>", re.S)
NO_PROSE = (
    re.compile(  # pictures, the address of a link, equations; lines of headings, tables, cards, and
        # statements that are to be judged
        r"!\[.*?\]\(.*?\)|\]\(.*?\)|\$\$.*?\$\$|^#.*$|^\|.*$|^\*\d+ minutes.*$|^- \*\*.*$",
        re.M,
    )
)


@pytest.fixture
def assignment(tmp_path: Path) -> Assignment:
    """A copy of an assignment's source."""
    shutil.copytree(COURSE.source / "encoder-layer", tmp_path / "encoder-layer")
    return Assignment("encoder-layer", replace(COURSE, source=tmp_path))


def change_cell(assignment: Assignment, id: str, old: str, new: str) -> None:
    notebook = nbformat.read(assignment.source, as_version=4)
    (cell,) = (cell for cell in notebook.cells if cell.id == id)
    assert old in cell.source
    cell.source = cell.source.replace(old, new)
    nbformat.write(notebook, assignment.source)


def change_figure(assignment: Assignment, old: str, new: str) -> None:
    file = assignment.source.parent / FIGURE
    text = file.read_text(encoding="utf-8")
    assert old in text
    file.write_text(text.replace(old, new), encoding="utf-8")


@pytest.mark.parametrize("id", sources(COURSE))
def test_nothing_differs(id):
    assert list(card_pieces(as_edited(find_source(id, COURSE)))) == []


CELLS = {
    "minutes of a card": (
        "attention_goal",
        "40 minutes",
        "50 minutes",
        "`attention_goal` does not",
    ),
    "no minutes": ("encoder_goal", "40 minutes", "soon", "`encoder_goal` does not say 40 minutes"),
    "points": ("exercises", 'Attention", 4,', 'Attention", 5,', "not `5 points · 40 min`"),
    "another exercise": ("exercises", '"encoder":', '"decoder":', "`decoder` is in one of"),
    "map": ("overview_map", "LayerNorm", "Norm", "the cell `overview_map` is not"),
}


@pytest.mark.parametrize(("id", "old", "new", "said"), CELLS.values(), ids=CELLS)
def test_a_cell_that_differs_is_named(assignment, id, old, new, said):
    change_cell(assignment, id, old, new)
    assert said in "\n".join(card_pieces(as_edited(assignment)))


def test_the_map_follows_its_figure(assignment):
    change_figure(assignment, "6 points · 45 min", "9 points · 45 min")
    assert write_overview(assignment) and not write_overview(assignment)
    (said,) = card_pieces(as_edited(assignment))
    assert "['9 points · 45 min'] of `multi_head_attention`, not `6 points · 45 min`" in said


def test_a_figure_that_is_missing_is_named(assignment):
    (assignment.source.parent / FIGURE).unlink()
    assert not write_overview(assignment)
    (said,) = card_pieces(as_edited(assignment))
    assert "needs figures/overview.svg, which is missing" in said


def test_boxes_and_texts_of_a_figure_are_found():
    svg = (
        '<rect data-exercise="a" x="1"/><text data-exercise="b" x="1">2 points</text><text>c</text>'
    )
    assert exercises_in(svg) == {"a": set(), "b": {"2 points"}}


@pytest.mark.parametrize("id", sources(COURSE))
def test_the_head_says_the_sum_of_points_and_the_hours(id):
    edited = as_edited(find_source(id, COURSE))
    listed, cells = (
        exercise_table(edited.cells).values(),
        {one.id: one.source for one in edited.cells},
    )
    if not listed:
        pytest.skip("the notebook lists no exercises")
    by_hand = sum(one.points for one in listed if one.by_hand)
    total = sum(one.points for one in listed)
    minutes = sum(
        int(n) for text in cells.values() for n in re.findall(r"^\*(\d+) min", text, re.M)
    )
    head = cells["title"]
    assert f"**{total} points, about {round(minutes / 60)} hours:**" in head
    assert f"{total - by_hand} points by automatic checks, {by_hand} by a person" in head


@pytest.mark.parametrize("id", sources(COURSE))
def test_prose_is_short(id):
    for cell in as_edited(find_source(id, COURSE)).cells:
        if cell.kind == "markdown" and not cell.solution:
            text = NO_PROSE.sub("", FOLDED.sub("", cell.source))
            words = re.sub(r"`[^`]+`", "code", text).split()
            assert len(words) <= WORDS, f"`{cell.id}` has {len(words)} words"
