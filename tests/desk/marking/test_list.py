"""`marking list`: what waits for a person, which answers are equal, and whose share they are."""

import json
import os
import re
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest
from marking_pages import MARKING, rows
from nbformat import NotebookNode
from submissions import edit
from typed_commands import refused, typed
from written_answers import CHECK, WRITTEN, Book, graded

pytestmark = [pytest.mark.database, pytest.mark.usefixtures("read_without_fork")]


def listed(*words: str) -> list[dict[str, str]]:
    status, printed = typed("marking", "list", *words)
    assert status == 0, printed
    return rows(MARKING / "all.csv")


def equal_answers(exercise: str) -> list[list[str]]:
    """The students whose answers to an exercise are equal."""
    groups = {
        tuple(sorted([row["student"], *filter(None, row["equal_to"].split(", "))]))
        for row in listed()
        if row["exercise"] == exercise
    }
    return [list(group) for group in sorted(groups)]


def with_pictures(book: Book, attachments: dict) -> NotebookNode:
    text = "Before ![](attachment:a.png), after ![](attachment:b.png)."
    notebook = graded(book.assignment, text)
    for cell in notebook.cells:
        if cell.id == WRITTEN:
            cell.attachments = attachments
    return notebook


def test_answers_that_differ_in_blanks_alone_are_equal(book):
    assert equal_answers(WRITTEN) == [["ada", "ben", "cleo"], ["dan"]]


FIRST, SECOND = {"image/png": "QUJD"}, {"image/png": "REVG"}


@pytest.mark.parametrize(
    "pictures_of_ben",
    [{"a.png": FIRST, "b.png": FIRST}, {"a.png": SECOND, "b.png": FIRST}],
    ids=["others", "under each other's names"],
)
def test_other_pictures_make_another_answer(book, pictures_of_ben):
    pictures = {"a.png": FIRST, "b.png": SECOND}
    book.enter(
        ada=with_pictures(book, pictures),
        ben=with_pictures(book, pictures_of_ben),
        cleo=with_pictures(book, pictures),
    )
    assert equal_answers(WRITTEN) == [["ada", "cleo"], ["ben"], ["dan"]]


def test_code_that_is_indented_otherwise_is_another_answer(book):
    """A mark for one would else be that of the other."""
    inside = "for row in rows:\n    total += row\n    total /= 2"
    after = "for row in rows:\n    total += row\ntotal /= 2"
    sources = {"ada": inside, "ben": after, "cleo": inside.replace("row\n", "row  \r\n") + "\n"}
    for student, source in sources.items():
        book.mark(student, 1.0, CHECK + "softmax")
        book.enter(**{student: graded(book.assignment, "Mine.", softmax=source)})
    assert equal_answers("softmax") == [["ada", "cleo"], ["ben"]]


def test_what_is_open_is_what_nobody_has_marked_or_what_has_changed_since(book):
    book.mark("ada", 0.0)
    book.mark("dan", 1.0)
    book.mark("dan", 1.5, CHECK + "softmax")
    book.enter(dan=graded(book.assignment, "Another.", 0.5, softmax="mine = 1"))
    table = {(row["student"], row["exercise"]): row for row in listed()}
    states = {name: (row["state"], row["points_before"]) for name, row in table.items()}
    assert states == {
        ("ben", WRITTEN): ("open", ""),
        ("cleo", WRITTEN): ("open", ""),
        ("dan", WRITTEN): ("changed since it was marked", "1.0"),
        ("dan", "softmax"): ("look again: it was changed, or its automatic points were", "1.5"),
    }
    ben = table["ben", WRITTEN]
    assert ben["equal_to"] == "ada, cleo" and ben["max_points"] == "2.0"
    page = book.notebook_id("ben")
    address = f"http://localhost:8888/formgrader/submissions/{page}/?index="
    assert ben["formgrader"].startswith(address)
    page = re.sub("<[^>]*>", "", (MARKING / "all.html").read_text())
    assert "mine = 1" in page


def without_the_cell(notebook: Path) -> None:
    def change(content: dict) -> None:
        content["cells"] = [cell for cell in content["cells"] if cell["id"] != WRITTEN]

    edit(notebook, change)


def linked(notebook: Path) -> None:
    notebook.unlink()
    notebook.symlink_to(Path("autograded/dan/small-sheet/small-sheet.ipynb").absolute())


@pytest.mark.parametrize(
    "damage",
    [
        Path.unlink,
        without_the_cell,
        linked,
        lambda notebook: notebook.write_text('{"cells": [1]}'),
    ],
    ids=["gone", "without the cell", "a link", "damaged"],
)
def test_a_student_whose_notebook_cannot_be_read_is_named(book, damage):
    damage(Path("autograded/ben/small-sheet/small-sheet.ipynb"))
    status, printed = typed("marking", "list")
    sentence = "Left out, because the graded notebook cannot be read: ben. Grade again."
    assert status == 0 and sentence in printed
    assert [row["student"] for row in rows(MARKING / "all.csv")] == ["ada", "cleo", "dan"]


def test_an_id_leads_to_no_notebook_elsewhere(book):
    shutil.copytree("autograded/ben", "ben")
    with sqlite3.connect("gradebook.db") as database:
        database.execute(
            "update submitted_assignment set student_id = '../ben' where student_id = 'ben'"
        )
        database.execute("update student set id = '../ben' where id = 'ben'")
    database.close()
    assert "cannot be read: ../ben." in typed("marking", "list")[1]


@pytest.mark.parametrize(
    ("environment", "words", "server"),
    [
        ({}, (), "http://localhost:8888"),
        ({}, ("https://hub/user/kim/formgrader/",), "https://hub/user/kim"),
        ({}, ("https://hub/user/lab/lab/tree/course?x=1",), "https://hub/user/lab"),
        ({}, ("https://hub/services/a/formgrader/gradebook",), "https://hub/services/a"),
        ({"PUBLIC_URL": "https://hub/user/kim/"}, (), "https://hub/user/kim"),
        ({"SERVICE_PREFIX": "/user/kim/"}, (), ""),
    ],
)
def test_links_lead_to_the_formgrader_that_the_browser_shows(
    book, monkeypatch, environment, words, server
):
    for name, value in environment.items():
        monkeypatch.setenv(f"JUPYTERHUB_{name}", value)
    options = ["--formgrader", *words] if words else []
    if server:
        links = {
            row["formgrader"].partition("/formgrader/submissions/")[0] for row in listed(*options)
        }
        assert links == {server}
    else:
        assert "`--formgrader https://HUB/user/kim/formgrader`" in refused(
            "marking", "list", *options
        )


def test_all_that_is_open_is_listed_for_one_or_split_without_a_rest(book):
    status, printed = typed("marking", "list")
    assert status == 0 and "4 answers are for a person to mark, 4 of them still wait." in printed
    assert "3 of these are equal to others, in 1 group" in printed
    shares = []
    for number in (1, 2):
        status, printed = typed("marking", "list", "--for", f"{number}/2")
        share = rows(MARKING / f"tutor-{number}-of-2.csv")
        assert status == 0 and f"Tutor {number} of 2: {len(share)} to mark." in printed
        shares += [row["student"] for row in share]
    assert sorted(shares) == ["ada", "ben", "cleo", "dan"]


@pytest.mark.parametrize("tutors", [1, 2, 4])
def test_each_answer_is_marked_a_second_time_by_another_tutor_if_there_is_one(book, tutors):
    again = []
    for number in range(1, tutors + 1):
        typed("marking", "list", "--for", f"{number}/{tutors}", "--second", "100%")
        suffix = f"-{number}-of-{tutors}" if tutors > 1 else ""
        first = MARKING / f"{'tutor' if tutors > 1 else 'all'}{suffix}.csv"
        second = MARKING / f"second{suffix}.csv"
        students = {row["student"] for row in rows(second)} if second.exists() else set()
        assert tutors == 1 or not students & {row["student"] for row in rows(first)}
        again += students
    assert sorted(again) == ["ada", "ben", "cleo", "dan"]


def test_a_gradebook_or_assignment_that_is_not_there_is_named(book):
    assert "There is no assignment" in refused("marking", "list", "--assignment", "another")
    assert "There is no gradebook" in refused("marking", "list", "--gradebook", "sqlite:///no.db")
    assert not Path("no.db").exists()
    Path("none.db").write_text("no database")
    status, printed = typed("marking", "list", "--gradebook", "sqlite:///none.db")
    assert status == 1 and "not a database" in printed and "try again" in printed
    Path("gradebook.db").unlink()
    for words in (["list"], ["copy-marks", "--yes"]):
        status, printed = typed("marking", *words)
        sentence = "no gradebook yet. Nothing is graded yet: `grade` first."
        assert status == 1 and sentence in printed and printed.count("\n") == 1


TEXT = "It takes the mean away, and divides."
OF_CODE = {"cell_type": "code", "outputs": [], "execution_count": None}
NEW = {"id": "new", "metadata": {}, "source": TEXT}


def typed_again(cells: list[dict], place: int) -> None:
    cells[place] = {"cell_type": "markdown"} | NEW


def typed_as_code(cells: list[dict], place: int) -> None:
    cells[place] = OF_CODE | NEW


def turned_into_code(cells: list[dict], place: int) -> None:
    cells[place] |= OF_CODE | {"source": TEXT}


def without_ids(cells: list[dict], place: int) -> None:
    cells[place]["source"] = TEXT
    for cell in cells:
        del cell["id"]
        cell["metadata"] = {}


def split(cells: list[dict], place: int) -> None:
    first, second = TEXT.split(", ")
    cells[place]["source"] = first
    cells.insert(place + 1, cells[place] | {"id": "new", "source": second})


def copied(cells: list[dict], place: int) -> None:
    cells.append(cells[place] | {"id": "new"})
    cells[place] = cells[place] | {"source": TEXT}


@pytest.mark.walls
@pytest.mark.parametrize(
    "change", [typed_again, typed_as_code, turned_into_code, without_ids, split, copied]
)
def test_a_written_answer_reaches_the_marker_whatever_became_of_its_cell(
    change: Callable[[list[dict], int], None], empty_book, monkeypatch
):
    monkeypatch.chdir(empty_book.assignment.course.root)
    content = json.loads(empty_book.assignment.release.read_text())
    change(content["cells"], [cell["id"] for cell in content["cells"]].index(WRITTEN))
    os.makedirs("submitted/ada/small-sheet")
    Path("submitted/ada/small-sheet/small-sheet.ipynb").write_text(json.dumps(content))
    assert typed("grade", "submitted", "--seed", "1")[0] == 0
    status, printed = typed("marking", "list")
    assert status == 0 and "1 answer is for a person to mark" in printed, printed
    page = (MARKING / "all.html").read_text()
    assert all(part in page for part in TEXT.split(", "))
