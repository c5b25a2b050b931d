"""`marking` from the command line: what is written, what is said, and its exit statuses."""

import csv
from collections.abc import Callable
from pathlib import Path

import pytest
from submissions import edit
from typed_commands import refused, typed
from written_answers import WRITTEN, Book

from autograder._commands import terminal

pytestmark = pytest.mark.database


@pytest.fixture
def hand_in_small(small) -> Callable[[Path, str, Callable[[dict], None]], None]:
    """Write a submission of the small sheet: the release after a change of its content."""

    def write(submitted: Path, student: str, change: Callable[[dict], None]) -> None:
        notebook = submitted / student / small.id / f"{small.id}.ipynb"
        notebook.parent.mkdir(parents=True)
        notebook.write_bytes(small.release.read_bytes())
        edit(notebook, change)

    return write


@pytest.fixture
def book(empty_book, monkeypatch) -> Book:
    """A course in this folder, with three answers of which two are equal."""
    monkeypatch.chdir(empty_book.assignment.course.root)
    empty_book.enter(ada="The root.", ben="The root.", cleo="Mine.")
    return empty_book


TEXT = "It takes the mean away, and divides."


def typed_again(cells: list[dict], place: int) -> None:
    cells[place] = {"cell_type": "markdown", "id": "new", "metadata": {}, "source": TEXT}


def typed_as_code(cells: list[dict], place: int) -> None:
    cells[place] = {"cell_type": "code", "id": "new", "metadata": {}, "source": TEXT}
    cells[place] |= {"outputs": [], "execution_count": None}


def turned_into_code(cells: list[dict], place: int) -> None:
    cells[place] |= {"cell_type": "code", "source": TEXT, "outputs": [], "execution_count": None}


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
    change, empty_book, hand_in_small, monkeypatch
):
    course = empty_book.assignment.course.root
    monkeypatch.chdir(course)

    def change_cells(content: dict) -> None:
        cells = content["cells"]
        change(cells, [cell["id"] for cell in cells].index(WRITTEN))

    hand_in_small(course / "submitted", "ada", change_cells)
    assert typed("grade", "submitted", "--seed", "1")[0] == 0
    status, output = typed("marking", "list")
    assert status == 0 and "1 answer is for a person to mark" in output, output
    page = Path("results", empty_book.assignment.id, "marking", "all.html").read_text()
    assert all(part in page for part in TEXT.split(", "))


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


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
    status, said = typed("marking", "list", *(("--formgrader", *words) if words else ()))
    if not server:
        assert status == 2 and "`--formgrader https://HUB/user/kim/formgrader`" in said
        return
    table = rows(Path("results", book.assignment.id, "marking", "all.csv"))
    links = {row["formgrader"].partition("/formgrader/submissions/")[0] for row in table}
    assert (status, links) == (0, {server}), said


def test_all_that_is_open_is_listed_for_one_or_split_without_a_rest(book):
    folder = Path("results", book.assignment.id, "marking")
    status, said = typed("marking", "list")
    assert status == 0 and "3 answers are for a person to mark, 3 of them still wait." in said
    assert "2 of these are equal to others, in 1 group" in said
    everybody = [row["student"] for row in rows(folder / "all.csv")]
    assert everybody == ["ada", "ben", "cleo"] and (folder / "all.html").is_file()
    split = []
    for number in (1, 2):
        status, said = typed("marking", "list", "--for", f"{number}/2")
        mine = rows(folder / f"tutor-{number}-of-2.csv")
        assert status == 0 and f"Tutor {number} of 2: {len(mine)} to mark." in said
        split += [row["student"] for row in mine]
    assert sorted(split) == everybody


def test_second_marks_are_filled_in_and_compared_and_no_name_acts_on_a_terminal(book):
    second = ["marking", "list", "--second", "100%", "--out", "mine"]
    table = Path("mine", book.assignment.id, "second.csv")
    book.enter(dan="\x1b[31m=1+1")
    book.mark("dan", 1.0, comment="\x1b[2J=HYPERLINK(1)")
    book.mark("ada", 2.0)
    book.mark("cleo", 1.0)
    status, said = typed(*second)
    assert status == 0 and "To mark a second time: 4, filled in already: 0." in said
    text = table.read_text()
    for student, points in {"ada": "0.5", "ben": "2", "cleo": "1,0"}.items():
        row = next(line for line in text.splitlines() if f",{student}," in line)
        text = text.replace(row, row[: -len(",")] + f'"{points}",')
    table.write_text(text)
    status, said = typed("marking", "compare", table, table)
    assert status == 0 and "2 answers have two marks." in said
    assert "Not compared: 1 not marked yet by the first person." in said
    assert f"ada, {WRITTEN}: 2 and 0.5" in said and "1 of 2" in said and "-0.75" in said
    assert "filled in already: 3" in typed(*second)[1]
    assert table.read_text().count("0.5") == 1
    table.write_text(text.replace('"0.5"', "good").replace("cleo", "c\x1b[31mleo"))
    status, bad = typed("marking", "compare", table)
    assert status == 1 and f"Line 2 (ada, {WRITTEN}): 'good' is no number from 0 to 2." in bad
    assert "\x1b" not in said + bad + Path("mine", book.assignment.id, "all.csv").read_text()


def test_marks_are_copied_on_request(book, monkeypatch):
    copy = ["marking", "copy-marks"]
    assert "0 open answers equal a marked one" in typed(*copy)[1]
    book.mark("ada", 1.5, comment="Which root?")
    status, said = typed(*copy)
    assert status == 0 and f"{WRITTEN}: 1.5 from ada to ben" in said and "add --yes" in said
    assert book.waits("ben")
    monkeypatch.setattr(terminal, "is_there_to_answer", lambda: True)
    monkeypatch.setattr(terminal, "ask", lambda question: "Copy 1 mark?" not in question)
    assert typed(*copy)[0] == 0 and book.waits("ben")
    status, said = typed(*copy, "--yes", "--comments")
    assert status == 0 and "Copied: 1." in said
    assert book.given("ben") == (1.5, None, "Which root?") and book.waits("cleo")
    book.enter(dan="Mine.")
    book.mark("cleo", 0.5)
    assert typed(*copy, "--yes")[0] == 0
    assert book.given("dan")[0] == 0.5 and book.given("ben")[0] == 1.5
    book.mark("ada", 1.0)
    assert "equal answers have different points (ada 1, ben 1.5)" in typed(*copy)[1]


def test_what_cannot_be_used_is_said_and_not_written_over(book):
    assert "There is no assignment" in refused("marking", "list", "--assignment", "another")
    table = Path("results", book.assignment.id, "marking", "second.csv")
    table.parent.mkdir(parents=True)
    table.write_text("my own notes")
    status, said = typed("marking", "list", "--second", "100%")
    assert status == 1 and "move it away" in said and table.read_text() == "my own notes"
    status, said = typed("marking", "list", "--gradebook", "sqlite:///nowhere.db")
    assert status == 2 and "There is no gradebook" in said and not Path("nowhere.db").exists()
    Path("gradebook.db").unlink()
    for words in (["list"], ["copy-marks", "--yes"]):
        status, said = typed("marking", *words)
        assert (
            status == 1
            and "no gradebook yet. Nothing is graded yet: `grade` first." in said
            and said.count("\n") == 1
        )
