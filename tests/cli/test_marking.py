"""`marking` from the command line: what is written, what is said, and its exit statuses."""

import csv
from pathlib import Path

import pytest
from written_answers import WRITTEN, Book

from autograder.cli.main import main
from autograder.report import terminal

pytestmark = pytest.mark.database


@pytest.fixture
def book(empty_book, monkeypatch) -> Book:
    """A course in this folder, with three answers of which two are equal."""
    monkeypatch.chdir(empty_book.assignment.course.root)
    empty_book.enter(ada="The root.", ben="The root.", cleo="Mine.")
    return empty_book


@pytest.fixture
def run(capfd):
    """Run `marking`; return its status and what was said."""

    def call(*words: str | Path) -> tuple[int, str]:
        status = main(["marking", *map(str, words)])
        return status, "".join(capfd.readouterr())

    return call


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def wrong(run, *words: str | Path) -> str:
    """Run what is wrong usage, said in one line; return that."""
    status, said = run(*words)
    assert status == 2 and said.count("\n") == 1, said
    return said


def test_all_that_is_open_is_listed_for_one_or_split_without_a_rest(book, run):
    folder = Path("results", book.assignment.id, "marking")
    status, said = run("list")
    assert status == 0 and "3 answers are for a person to mark, 3 of them still wait." in said
    assert "2 of these are equal to others, in 1 group" in said
    everybody = [row["student"] for row in rows(folder / "all.csv")]
    assert everybody == ["ada", "ben", "cleo"] and (folder / "all.html").is_file()
    split = []
    for part in ("1/2", "2/2"):
        status, said = run("list", "--for", part)
        mine = rows(folder / f"tutor-{part.replace('/', '-of-')}.csv")
        assert status == 0 and f"Tutor {part.replace('/', ' of ')}: {len(mine)} to mark." in said
        split += [row["student"] for row in mine]
    assert sorted(split) == everybody


def test_second_marks_are_filled_in_and_compared(book, run):
    book.mark("ada", 2.0)
    book.mark("cleo", 1.0)
    status, said = run("list", "--second", "100%", "--out", "mine")
    table = Path("mine", book.assignment.id, "second.csv")
    assert status == 0 and "To mark a second time: 3, filled in already: 0." in said
    given = {"ada": "0.5", "ben": "2", "cleo": "1,0"}
    text = table.read_text()
    for student, points in given.items():
        row = next(line for line in text.splitlines() if f",{student}," in line)
        text = text.replace(row, row[: -len(",")] + f'"{points}",')
    table.write_text(text)
    status, said = run("compare", table, table)
    assert status == 0 and "2 answers have two marks." in said
    assert "Not compared: 1 not marked yet by the first person." in said
    assert f"ada, {WRITTEN}: 2 and 0.5" in said and "1 of 2" in said and "-0.75" in said
    assert "filled in already: 3" in run("list", "--second", "100%", "--out", "mine")[1]
    assert table.read_text().count("0.5") == 1
    table.write_text(text.replace('"0.5"', "good"))
    status, said = run("compare", table)
    assert status == 1 and f"Row 2 (ada, {WRITTEN}): 'good' is no number from 0 to 2." in said


def test_marks_are_copied_on_request_and_what_was_copied_is_kept(book, run, monkeypatch):
    assert "0 open answers equal a marked one" in run("copy-marks")[1]
    book.mark("ada", 1.5, comment="Which root?")
    status, said = run("copy-marks")
    assert status == 0 and f"{WRITTEN}: 1.5 from ada to ben" in said and "add --yes" in said
    assert book.waits("ben")
    monkeypatch.setattr(terminal, "is_there_to_answer", lambda: True)
    monkeypatch.setattr(terminal, "ask", lambda question: "Copy 1 mark?" not in question)
    assert run("copy-marks")[0] == 0 and book.waits("ben")
    status, said = run("copy-marks", "--yes", "--comments", "--out", "mine")
    assert status == 0 and "Copied: 1." in said
    assert book.given("ben") == (1.5, None, "Which root?") and book.waits("cleo")
    book.enter(dan="Mine.")
    book.mark("cleo", 0.5)
    assert run("copy-marks", "--yes", "--out", "mine")[0] == 0
    kept = rows(Path("mine", book.assignment.id, "copied.csv"))
    assert [(row["from"], row["to"], row["points"]) for row in kept] == [
        ("ada", "ben", "1.5"),
        ("cleo", "dan", "0.5"),
    ]


def test_wrong_usage_is_said_in_a_sentence(book, run, tmp_path):
    assert "Missing command" in wrong(run)
    for part in ("0/5", "6/5", "2", "1/101", "a/b"):
        assert "is no part like 2/5" in wrong(run, "list", "--for", part)
    for share in ("-1", "101%", "ten"):
        assert "is no share like 10%" in wrong(run, "list", "--second", share)
    assert "address" in wrong(run, "list", "--formgrader", "javascript:alert(1)")
    assert "There is no assignment" in wrong(run, "list", "--assignment", "another")
    assert "does not exist" in wrong(run, "compare", tmp_path / "nowhere.csv")
    (tmp_path / "t.csv").write_text("student,points\n")
    assert "no column `assignment`" in wrong(run, "compare", tmp_path / "t.csv")


def test_without_a_gradebook_it_is_said_what_to_do(book, run):
    status, said = run("list", "--gradebook", "sqlite:///nowhere.db")
    assert status == 2 and "There is no gradebook" in said and not Path("nowhere.db").exists()
    Path("gradebook.db").unlink()
    for words in (["list"], ["copy-marks", "--yes"]):
        status, said = run(*words)
        assert status == 1 and "grade first" in said and said.count("\n") == 1


def test_a_table_that_cannot_be_read_is_not_written_over(book, run):
    table = Path("results", book.assignment.id, "marking", "second.csv")
    table.parent.mkdir(parents=True)
    table.write_text("my own notes")
    status, said = run("list", "--second", "100%")
    assert status == 1 and "move it away" in said and table.read_text() == "my own notes"


def test_what_students_are_called_and_wrote_reaches_no_terminal_as_it_is(book, run):
    book.enter(dan="\x1b[31m=1+1")
    book.mark("dan", 1.0, comment="\x1b[2J=HYPERLINK(1)")
    _, said = run("list", "--second", "100%", "--out", "mine")
    table = Path("mine", book.assignment.id, "second.csv")
    table.write_text(table.read_text().replace("cleo", "c\x1b[31mleo"))
    assert "\x1b" not in said + run("compare", table)[1]
    assert "\x1b" not in Path("mine", book.assignment.id, "all.csv").read_text()
