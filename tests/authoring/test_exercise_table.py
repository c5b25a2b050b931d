"""What cells, headings and cards say of an exercise is its row; its box in the overview says the same."""

import re
import shutil
from dataclasses import replace
from pathlib import Path

import nbformat
import pytest

from autograder import Assignment, find_course
from autograder.authoring.edited import as_edited, find_source
from autograder.authoring.exercise_table import (
    BOX,
    FIGURE,
    FORM_ONLY,
    disagreements,
    exercise_table,
    exercises_in,
    overview_of,
    ungraded_exercises,
)
from autograder.authoring.toolbox.exercises import ExerciseHeading
from autograder.engine.courses import pristine_cell, sources

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


def pieces(assignment: Assignment) -> list[str]:
    """What lint says of minutes and of the overview."""
    cells = as_edited(assignment).cells
    overview = overview_of(assignment.source.parent)
    drawn = disagreements(overview, exercise_table(cells)) if overview else ()
    silent = [id for id, one in exercise_table(cells).items() if not one.minutes]
    return [*silent, *drawn]


@pytest.mark.parametrize("id", sources(COURSE))
def test_nothing_differs(id):
    assert pieces(find_source(id, COURSE)) == []


@pytest.mark.parametrize("id", sources(COURSE))
def test_the_overview_says_the_points_of_an_exercise_once(id):
    overview = overview_of(find_source(id, COURSE).source.parent) or ""
    said = [exercise for tag, exercise, _ in BOX.findall(overview) if tag == "text"]
    assert len(said) == len(set(said))


def test_a_row_is_what_heading_card_and_cells_say(assignment):
    table = exercise_table(as_edited(assignment).cells)
    assert table["multi_head_attention"] == ExerciseHeading(
        "3b", "Multi-head attention", 6, 45, ("MultiHeadAttention",)
    )
    assert table["explain_layer_norm"].by_hand and table["explain_layer_norm"].points == 2
    assert not any(one.form_only for one in table.values())


def test_an_exercise_without_a_cell_to_answer_in_is_found(assignment):
    there = {"encoder-layer": ["6 · Test the laws"]}
    assert list(ungraded_exercises(assignment.cells)) == there.get(assignment.id, [])


def test_without_headings_exercises_are_counted():
    cell = {"cell_type": "code", "source": "x = ...", "id": "x"}
    graded = {"grade_id": "x", "solution": True, "grade": False}
    check = {"grade_id": "check_x", "solution": False, "grade": True, "points": 3}
    cells = [
        pristine_cell(cell | {"metadata": {"nbgrader": one, "tags": [FORM_ONLY]}})
        for one in (graded, check)
    ]
    assert exercise_table(cells) == {"x": ExerciseHeading("1", "x", 3, 0, ("x",), form_only=True)}


CELLS = {
    "minutes": ("attention_goal", "40 minutes", "50 minutes", "not `4 points · 50 min`"),
    "no minutes": ("encoder_goal", "40 minutes", "soon", "encoder"),
}


@pytest.mark.parametrize(("id", "old", "new", "said"), CELLS.values(), ids=CELLS)
def test_a_cell_that_differs_is_named(assignment, id, old, new, said):
    change_cell(assignment, id, old, new)
    assert said in "\n".join(pieces(assignment))


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (
            "6 points · 45 min",
            "9 points · 45 min",
            "['9 points · 45 min'] of `multi_head_attention`",
        ),
        ('data-exercise="encoder"', 'data-exercise="decoder"', "`decoder` is in one of"),
    ],
)
def test_a_figure_that_differs_is_named(assignment, old, new, said):
    change_figure(assignment, old, new)
    assert said in "\n".join(pieces(assignment))


def test_without_a_figure_nothing_is_said_of_it(assignment):
    (assignment.source.parent / FIGURE).unlink()
    assert pieces(assignment) == []


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
