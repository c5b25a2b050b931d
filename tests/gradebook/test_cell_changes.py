"""Cells that come or go after the first submissions: `release` says so before it happens, and where it
happened all the same, nbgrader's reason is printed with what to do.
"""

import json
import re
import shutil
from collections.abc import Callable
from copy import deepcopy

import pytest
from typed_commands import type_in, typed
from written_answers import Book

from autograder import Assignment

pytestmark = [pytest.mark.database, pytest.mark.slow]  # nbgrader

BOOK = "gradebook.db"
Content, Cells = dict, dict[str, dict]


def add_exercise(content: Content, cells: Cells) -> None:
    for name in ("softmax", "check_softmax"):
        cell = deepcopy(cells[name])
        cell["id"] = name.replace("softmax", "extra")
        cell["metadata"]["nbgrader"]["grade_id"] = cell["id"]
        solution = "### BEGIN SOLUTION\nextra = 1\n### END SOLUTION"
        cell["source"] = solution if name == "softmax" else "assert extra"
        content["cells"].append(cell)


def remove_exercise(content: Content, cells: Cells) -> None:
    gone = "softmax", "check_softmax"
    content["cells"] = [cell for cell in content["cells"] if cell["id"] not in gone]


def rename_exercise(content: Content, cells: Cells) -> None:
    for name in ("softmax", "check_softmax"):
        cells[name]["id"] = cells[name]["metadata"]["nbgrader"]["grade_id"] = name + "2"


def mark_by_hand(content: Content, cells: Cells) -> None:
    cells["softmax"]["metadata"]["nbgrader"] |= {"grade": True, "points": 2}


def lock_a_text(content: Content, cells: Cells) -> None:
    role = {"grade": False, "locked": True, "solution": False, "task": False}
    cells["title"]["metadata"]["nbgrader"] = {"grade_id": "title", "schema_version": 3} | role


def change_points(content: Content, cells: Cells) -> None:
    cells["check_softmax"]["metadata"]["nbgrader"]["points"] = 5


def change_a_text(content: Content, cells: Cells) -> None:
    cells["title"]["source"] = "# Another title"
    content["cells"].insert(0, content["cells"].pop())


def edit_source(assignment: Assignment, change: Callable[[Content, Cells], None]) -> None:
    content = json.loads(assignment.source.read_text())
    change(content, {cell["id"]: cell for cell in content["cells"]})
    assignment.source.write_text(json.dumps(content))


def release(book: Book, *options: str) -> tuple[int, str]:
    assignment = book.assignment
    return typed("release", *options, assignment.id, "--course", assignment.course.root)


CHANGES = {
    add_exercise: "new: `extra`, `check_extra`",
    remove_exercise: "gone: `softmax`, `check_softmax`",
    rename_exercise: "new: `softmax2`, `check_softmax2`, gone: `softmax`, `check_softmax`",
    mark_by_hand: "in another role: `softmax`",
    lock_a_text: "new: `title`",
}


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
def test_a_release_with_other_cells_is_refused_before_anything_is_written(empty_book, change):
    empty_book.enter(s001="An answer.", s002="Another answer.")
    edit_source(empty_book.assignment, change)
    before = empty_book.assignment.release.read_bytes(), empty_book.assignment.source.read_bytes()
    status, printed = release(empty_book)
    assert status == 1 and printed.count("\n") == 1
    assert CHANGES[change] in printed and "the gradebook has 2 submissions" in printed
    assert "nbgrader db assignment remove small-sheet --force" in printed
    files = empty_book.assignment.release, empty_book.assignment.source
    assert before == tuple(file.read_bytes() for file in files)
    status, printed = release(empty_book, "--check")
    assert status == 1 and CHANGES[change] in printed


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
def test_without_submissions_cells_come_and_go(empty_book, change):
    edit_source(empty_book.assignment, change)
    status, printed = release(empty_book)
    assert status == 0 and "publish this folder" in printed


def test_texts_and_the_order_of_cells_change_at_any_time(empty_book):
    empty_book.enter(s001="An answer.")
    edit_source(empty_book.assignment, change_a_text)
    status, printed = release(empty_book)
    assert status == 0 and printed.count("\n") == 1, printed


def test_other_points_are_reported_with_what_to_do(empty_book):
    empty_book.enter(s001="An answer.")
    edit_source(empty_book.assignment, change_points)
    status, printed = release(empty_book)
    assert status == 0 and "publish this folder" in printed
    assert "the points of `check_softmax` are changed: run `python -m autograder grade`" in printed


def test_a_gradebook_that_cannot_be_used_stops_no_release(copied):
    config = copied.course.root / "nbgrader_config.py"
    address = "sqlite:////no/such/folder/of/a/gradebook.db?mode=rw"
    config.write_text(config.read_text() + f"c.CourseDirectory.db_url = {address!r}\n")
    (copied.course.root / "gradebook.db").write_text("no database")
    status, printed = typed("release", copied.id, "--course", copied.course.root)
    assert status == 0 and "publish this folder" in printed


@pytest.mark.walls
def test_grade_and_enter_give_the_reason_and_what_they_advise_works(copied):
    root = copied.course.root
    for student in ("s001", "s002"):
        folder = root / "submitted" / student / copied.id
        folder.mkdir(parents=True)
        shutil.copy(copied.release, folder)
        if student == "s001":
            type_in(root, "python -m autograder grade")
    edit_source(copied, add_exercise)
    type_in(root, f"mv {BOOK} away.db; python -m autograder release; mv away.db {BOOK}")
    grader = "import pytest\n\n\n@pytest.mark.points(2)\ndef test_extra(candidate):\n    assert candidate.value('extra') == 1, 'Is it?'\n"
    (copied.graders / "test_extra.py").write_text(grader)

    for command in ("grade", "enter"):
        printed = type_in(root, f"python -m autograder {command} || echo status $?")
        sentence = " ".join(printed.split())
        assert "status 1" in sentence and "did not take 2 verdicts" in sentence
        assert "nbgrader neither adds nor removes cells of `small-sheet` (new: `extra`" in sentence
        assert "error processing" not in sentence and "All verdicts are kept" in sentence

    (remedy,) = set(re.findall(r"`(nbgrader db assignment remove [^`]+)`", sentence))
    assert "2 verdicts entered" in type_in(root, f"{remedy} && python -m autograder enter")
