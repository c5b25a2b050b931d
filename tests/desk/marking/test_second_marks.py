"""Tables for tutors: what is in them is no formula, and what was filled in stays."""

import csv

import pytest
from written_answers import WRITTEN

from autograder import AutograderError
from autograder.desk.marking.agreement import agreement_table
from autograder.desk.marking.answers import groups
from autograder.desk.marking.second_marks import (
    FILLED_IN,
    GIVEN,
    compare_marks,
    read_second,
    write_second,
)
from autograder.desk.marking.shares import LIST, write_list
from autograder.engine.files import TableError

pytestmark = [pytest.mark.database, pytest.mark.usefixtures("read_without_fork")]


def rows(path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, strict=True))


def table(path) -> list[dict[str, str]]:
    """The rows of a table of second marks, as it is read."""
    return [row for _, row in read_second(path)[1]]


def fill(path, delimiter: str = ",", **points: str) -> None:
    """Fill in points by student, as a spreadsheet would save it."""
    before = rows(path)
    with path.open("w", encoding="utf-8-sig", newline="") as file:
        made = csv.DictWriter(file, [*GIVEN, *FILLED_IN, "my notes"], delimiter=delimiter)
        made.writeheader()
        for row in before:
            given = points.get(row["student"], "")
            note = "=looked at\ntwice" if given else ""
            made.writerow(row | {"points": given, "my notes": note})


def test_the_list_says_what_is_to_be_done_and_what_is_equal(book, answers, tmp_path):
    book.mark("ada", 2.0)
    book.mark("dan", 1.0)
    book.enter(dan="Another.")
    found = answers()
    write_list(tmp_path / "l.csv", groups(found), [one for one in found if one.cell.is_open])
    table = {row["student"]: row for row in rows(tmp_path / "l.csv")}
    assert list(table) == ["ben", "cleo", "dan"] and tuple(table["ben"]) == LIST
    assert table["ben"]["equal_to"] == "ada, cleo" and table["ben"]["state"] == "open"
    assert table["dan"]["state"] == "changed since it was marked"
    assert table["dan"]["points_before"] == "1.0"
    page = book.notebook_id("ben")
    assert table["ben"]["formgrader"].startswith(
        f"http://localhost:8888/formgrader/submissions/{page}/?index="
    )


def test_second_marks_that_were_filled_in_stay_with_the_answer_they_are_for(
    book, answers, tmp_path
):
    path, id = tmp_path / "second.csv", book.assignment.id
    assert write_second(path, id, answers()) == 0
    fill(path, ";", ada="1,5", dan="0")
    before = table(path)
    book.enter(dan="Another.")
    assert write_second(path, id, answers()[1:]) == 2  # ada is in no share any more
    now = table(path)
    assert [(row["student"], row["points"]) for row in now] == [
        ("ada", "1,5"),
        ("dan", "0"),
        ("ben", ""),
        ("cleo", ""),
        ("dan", ""),
    ]
    assert now[1]["answer"] == before[3]["answer"] != now[4]["answer"] == answers()[3].version
    assert '"\'=looked at\ntwice"' in path.read_text() and "my notes" in path.read_text()
    text = path.read_text()
    assert write_second(path, id, answers()[1:]) == 2 and path.read_text() == text


def test_a_table_keeps_the_form_in_which_a_spreadsheet_saved_it(book, answers, tmp_path):
    path, id = tmp_path / "second.csv", book.assignment.id
    write_second(path, id, answers())
    fill(path, ";", ada="1")
    path.write_bytes(path.read_bytes().replace(b";points;", b";Points;"))
    assert write_second(path, id, answers()) == 1
    assert (
        path.read_bytes().startswith(b"\xef\xbb\xbfassignment;")
        and b";Points;" in path.read_bytes()
    )
    assert [row["points"] for row in table(path)] == ["1", "", "", ""]


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"student,points\nada,1\n", "has no column `assignment`"),
        (b"", "has no column `assignment`"),
        (b"\xff\xfe\x00", "save the table as CSV in UTF-8"),
        (b'assignment,"\n' + b"x" * 200_000, "save it as CSV again"),
    ],
)
def test_a_file_that_is_no_such_table_is_refused_and_left_alone(tmp_path, content, sentence):
    path = tmp_path / "second.csv"
    path.write_bytes(content)
    with pytest.raises(TableError, match=sentence):
        read_second(path)
    with pytest.raises(AutograderError, match=sentence):
        write_second(path, "sheet", [])
    assert path.read_bytes() == content


def test_second_marks_meet_the_first_ones(book, answers, tmp_path):
    path, id = tmp_path / "second.csv", book.assignment.id
    book.mark("ada", 2.0, comment="Yes.")
    book.mark("dan", 1.0)
    write_second(path, id, answers())
    fill(path, ada="0,5", ben="1", dan="1.0")
    compared = compare_marks(id, read_second(path)[1], answers())
    assert [(one.student, one.first, one.second) for one in compared.pairs] == [
        ("ada", 2.0, 0.5),
        ("dan", 1.0, 1.0),
    ]
    (apart,) = compared.disagreements()
    assert apart.student == "ada" and apart.comments == "Yes."
    cells = [list(column.cells) for column in agreement_table(compared).columns]
    assert cells == [[WRITTEN], ["2"], ["-0.75"], ["1 of 2"], ["too few"]]
    assert compared.left_out == [
        "Not compared: 1 not marked yet by the first person.",
        "Not compared: 1 without a second mark.",
    ]
    book.enter(ada="Another.")
    book.mark("ada", 2.0)
    (sentence, *_) = compare_marks(id, read_second(path)[1], answers()).left_out
    assert "1 left out, because the answer has changed" in sentence


def test_what_is_no_mark_is_said_with_its_row(book, answers, tmp_path):
    book.mark("ada", 2.0)
    found = answers()
    write_second(tmp_path / "second.csv", book.assignment.id, found)
    (row, *_) = table(tmp_path / "second.csv")
    for points in ("good", "2.5", "-1", "nan", "inf", "1e999", "1,000,0"):
        compared = compare_marks(book.assignment.id, [(2, row | {"points": points})], found)
        (sentence,) = compared.damaged
        assert compared.pairs == []
        assert sentence.startswith(f"Line 2 (ada, {WRITTEN}): ")
        assert sentence.endswith("is no number from 0 to 2.")


def test_rows_of_nobody_are_counted(book, answers, tmp_path):
    book.mark("ada", 2.0)
    write_second(tmp_path / "second.csv", book.assignment.id, answers())
    row = table(tmp_path / "second.csv")[0] | {"student": "=nobody", "points": "1"}
    compared = compare_marks(book.assignment.id, [(2, row)], answers())
    assert compared.pairs == [] and "without such an answer" in compared.left_out[0]
