"""Which assignment something is about: names of files, cells of notebooks."""

import pytest
from skeletons import SHEET

from autograder import assignments
from autograder.authoring.edited import find_sources
from autograder.engine import Assignment, CourseError, GraderError, find_assignment
from autograder.engine.courses import every, in_name, of_cells, read_course, with_exercises


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("layer-norm.ipynb", ["layer-norm"]),
        ("layer-norm (1).ipynb", ["layer-norm"]),
        ("softmaxada_101_88000_Layer-Norm-1.ipynb", ["layer-norm"]),
        ("Late Submission - layer-norm.ipynb", ["layer-norm"]),
        ("LAYER-NORM_final-2.IPYNB", ["layer-norm"]),
        ("layer-norm - Copy (2).ipynb", ["layer-norm"]),
        ("layer-norm-Copy1.ipynb", ["layer-norm"]),
        ("Copy of layer-norm.ipynb", ["layer-norm"]),
        ("layer-norms.ipynb", []),
        ("my-layer-norm.ipynb", ["my-layer-norm"]),
        ("norm.ipynb", ["norm"]),
        ("norm and encoder.ipynb", ["norm", "encoder"]),
        ("hw.ipynb", []),
    ],
)
def test_a_name_has_ids_in_it_as_words_and_the_longest_counts(name, found):
    assert in_name(name, ["norm", "layer-norm", "my-layer-norm", "encoder"]) == found


def test_cells_say_it_unless_they_are_shared(two):
    known = every(two)
    assert [one.id for one in known] == assignments(two) == [SHEET, "small-sheet"]
    assert [one.id for one in of_cells(["softmax", "one_module", "rms_norm"], known)] == [
        "small-sheet"
    ]
    assert of_cells(["softmax", "one_module"], known) == known
    assert of_cells(["title", "imports"], known) == []


def test_a_half_written_assignment_hides_no_other(two):
    (two.source / SHEET / f"{SHEET}.ipynb").write_text("{")
    assert [one.id for one in of_cells(["one_module", "softmax"], every(two))] == ["small-sheet"]


def test_what_has_nothing_to_grade_is_left_out_beside_others(two):
    begun = two.source / "begun"
    begun.mkdir()
    (begun / "begun.ipynb").write_text(
        '{"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}'
    )
    found, damaged = with_exercises(two)
    assert [one.id for one in found] == [SHEET, "small-sheet"] and not damaged
    assert find_assignment("begun", two).exercises == ()


@pytest.mark.parametrize("where", ["source", "release"])
def test_a_damaged_assignment_is_left_out_and_named(two, where):
    damage(two, SHEET, where)
    found, damaged = with_exercises(two)
    assert [one.id for one in found] == ["small-sheet"]
    (sentence,) = damaged
    assert sentence.startswith(f"{SHEET} is left out: ")


def test_where_all_are_damaged_it_is_said(two):
    for id in (SHEET, "small-sheet"):
        damage(two, id, "source")
    with pytest.raises(GraderError, match=f"{SHEET} is left out.*small-sheet is left out"):
        with_exercises(two)


def damage(course, id: str, where: str) -> None:
    """Leave half a notebook in the source, or in the release."""
    notebook = getattr(Assignment(id, course), where)
    notebook.parent.mkdir(parents=True, exist_ok=True)
    notebook.write_text('{"cells": [')


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ([], "has no assignment yet:"),
        (["ps1/problem1.ipynb", "ps2/x.ipynb"], r"yet but nbgrader's own \(ps1, ps2\)"),
    ],
)
def test_a_course_without_an_assignment_of_ours_is_told_what_it_has(tmp_path, files, said):
    (tmp_path / "nbgrader_config.py").write_text("c = get_config()\n")
    for file in files:
        (tmp_path / "source" / file).parent.mkdir(parents=True)
        (tmp_path / "source" / file).write_text("{}")
    for find in (every, lambda course: find_sources([], course)):
        with pytest.raises(CourseError, match=said):
            find(read_course(tmp_path))
