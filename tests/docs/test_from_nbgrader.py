"""The page for a course of nbgrader's, followed with nbgrader's own example, which nobody here wrote."""

import csv
import shutil
from pathlib import Path

import nbgrader
import pytest
from typed_commands import blocks, type_in

EXAMPLE = Path(nbgrader.__file__).parent / "docs" / "source" / "user_guide"

pytestmark = [
    pytest.mark.walls,
    pytest.mark.database,
    pytest.mark.long,
    pytest.mark.timeout(1200),
]


def grades(course: Path) -> dict[tuple[str, str], float]:
    """The points that `nbgrader export` wrote, by assignment and student."""
    with (course / "grades.csv").open(encoding="utf-8") as rows:
        return {(r["assignment"], r["student_id"]): float(r["score"]) for r in csv.DictReader(rows)}


def test_an_exercise_beside_nbgraders_own_example_and_back(tmp_path):
    quickstart, add, begin, week, both, leave = blocks("from-nbgrader.md")
    type_in(tmp_path, quickstart)
    course = tmp_path / "course101"
    shutil.copytree(EXAMPLE / "submitted", course / "submitted")
    type_in(course, "nbgrader generate_assignment ps1 && nbgrader autograde ps1")
    type_in(course, both)
    alone = grades(course)
    assert {student for _, student in alone} == {"bitdiddle", "hacker"} and any(alone.values())

    type_in(course, add)
    assert "release/squares/ is made" in type_in(course, begin)
    for student, notebook in (("hacker", "release"), ("ada", "source")):
        (course / "submitted" / student / "squares").mkdir(parents=True)
        shutil.copy(
            course / notebook / "squares" / "squares.ipynb",
            course / "submitted" / student / "squares",
        )
    said = type_in(course, week)
    assert "ps1 has no hidden graders" in said and "2 graded" in said
    assert "ps1: 2 pages made" in said and "squares:" in said
    assert "Exception while loading config file" not in said
    assert (course / "feedback" / "hacker" / "ps1" / "problem2.html").is_file()
    type_in(course, both)
    beside = grades(course)
    assert {key: beside[key] for key in alone} == alone
    assert beside["squares", "ada"] == 1 and beside["squares", "hacker"] == 0

    type_in(course, leave)
    assert "from autograder" not in (course / "nbgrader_config.py").read_text()
    assert grades(course) == beside
    said = type_in(course, "nbgrader autograde ps1 --force")
    assert "hidden graders" not in said
    type_in(course, both)
    assert grades(course) == beside
