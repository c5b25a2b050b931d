"""`marking list --second` and `marking compare`: tables that tutors fill in, beside the first marks."""

import csv
import re

import pytest
from marking_pages import MARKING, rows
from typed_commands import typed
from written_answers import WRITTEN

pytestmark = [pytest.mark.database, pytest.mark.usefixtures("read_without_fork")]
SECOND = MARKING / "second.csv"


def ask_for_second_marks(share: str = "100%") -> str:
    status, printed = typed("marking", "list", "--second", share)
    assert status == 0, printed
    return printed


def fill(points: dict[str, str]) -> None:
    """Fill in points by student, as a spreadsheet of another country saves it."""
    before = rows(SECOND)
    with SECOND.open("w", encoding="utf-8-sig", newline="") as file:
        table = csv.DictWriter(file, [*before[0], "my notes"], delimiter=";")
        table.writeheader()
        for row in before:
            student = row["student"]
            note = "=looked at\ntwice" if student in points else ""
            table.writerow(row | {"points": points.get(student, ""), "my notes": note})
    SECOND.write_bytes(SECOND.read_bytes().replace(b";points;", b";Points;"))


def test_what_was_filled_in_stays_in_the_form_in_which_a_spreadsheet_saved_it(book):
    assert "To mark a second time: 4, filled in already: 0." in ask_for_second_marks()
    fill({"ada": "1,5", "dan": "0"})
    before = rows(SECOND, ";")
    book.enter(dan="Another.")
    assert "filled in already: 2." in ask_for_second_marks()
    now = rows(SECOND, ";")
    assert [(row["student"], row["Points"]) for row in now] == [
        ("ada", "1,5"),
        ("dan", "0"),
        ("ben", ""),
        ("cleo", ""),
        ("dan", ""),
    ]
    assert now[1]["answer"] == before[3]["answer"] != now[4]["answer"]
    table = SECOND.read_bytes()
    assert table.startswith(b"\xef\xbb\xbfassignment;") and b'"\'=looked at\ntwice"' in table
    ask_for_second_marks()
    assert SECOND.read_bytes() == table
    assert "To mark a second time: 1, filled in already: 2." in ask_for_second_marks("10%")
    assert {row["student"] for row in rows(SECOND, ";")} >= {"ada", "dan"}


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"student,points\nada,1\n", "has no column `assignment`"),
        (b"", "has no column `assignment`"),
        (b"\xff\xfe\x00", "save the table as CSV in UTF-8"),
        (b'assignment,"\n' + b"x" * 200_000, "save it as CSV again"),
    ],
)
def test_a_file_that_is_no_such_table_is_refused_and_left_alone(book, content, sentence):
    MARKING.mkdir(parents=True)
    SECOND.write_bytes(content)
    status, printed = typed("marking", "compare", SECOND)
    assert status == 2 and sentence in printed
    status, printed = typed("marking", "list", "--second", "100%")
    assert status == 1 and sentence in printed and "move it away" in printed
    assert SECOND.read_bytes() == content


def test_second_marks_meet_the_first_ones_and_no_text_acts_on_a_terminal(book):
    book.enter(fay="\x1b[31m=1+1", gil="Mine.", hal="His.")
    first = {"ada": 2.0, "dan": 1.0, "fay": 1.0, "gil": 1.0, "hal": 1.0}
    for student, points in first.items():
        book.mark(student, points, comment="\x1b[2J=HYPERLINK(1)")
    ask_for_second_marks()
    fill({"ada": "0,5", "ben": "1", "dan": "1.0", "gil": "0", "hal": "1"})
    SECOND.write_text(SECOND.read_text().replace(";hal;", ";=nobody;"))
    book.enter(gil="Another.")
    status, printed = typed("marking", "compare", SECOND, SECOND)
    assert status == 0 and "2 answers have two marks." in printed
    (row,) = (line for line in printed.splitlines() if line.split()[:1] == [WRITTEN])
    assert re.split(r"\s{2,}", row.strip()) == [WRITTEN, "2", "-0.75", "1 of 2", "too few"]
    assert f"ada, {WRITTEN}: 2 and 0.5" in printed and f"dan, {WRITTEN}" not in printed
    for sentence in (
        "1 not marked yet by the first person.",
        "2 without a second mark.",
        "1 left out, because the answer has changed since it was marked a second time.",
        "1 of students or exercises without such an answer in the gradebook.",
    ):
        assert f"Not compared: {sentence}" in printed
    assert "HYPERLINK" in printed and "\x1b" not in printed + (MARKING / "all.csv").read_text()


def test_what_is_no_mark_is_named_with_its_row(book):
    book.mark("ada", 2.0)
    ask_for_second_marks()
    (header, ada, *_) = SECOND.read_text().splitlines()
    bad = ["good", "2.5", "-1", "nan", "inf", "1e999", "1,000,0"]
    lines = [ada.removesuffix(",,") + f',"{points}",' for points in bad]
    SECOND.write_text("\n".join([header, *lines, ""]))
    status, printed = typed("marking", "compare", SECOND)
    assert status == 1 and "0 answers have two marks." in printed
    for line, points in enumerate(bad, 2):
        assert f"Line {line} (ada, {WRITTEN}): '{points}' is no number from 0 to 2." in printed


def kappa_by_table(pairs: list[tuple[float, float]]) -> float:
    """Kappa from the table of categories, weight by weight, as Cohen writes it."""
    grades = sorted({mark for pair in pairs for mark in pair})
    n = len(pairs)
    observed = chance = 0.0
    for first in grades:
        for second in grades:
            weight = (first - second) ** 2
            observed += weight * pairs.count((first, second)) / n
            row = sum(pair[0] == first for pair in pairs) / n
            column = sum(pair[1] == second for pair in pairs) / n
            chance += weight * row * column
    return 1 - observed / chance


STRICTER = [(0, 0.5), (0.5, 1.5), (1, 1.5), (1, 1.5), (2, 1), (1.5, 2), (1.5, 1.5), (0.5, 1)] * 4


@pytest.mark.parametrize(
    ("pairs", "mean", "within", "kappa"),
    [
        (STRICTER, "+0.31", "24 of 32", kappa_by_table(STRICTER)),
        ([(0, 0), (2, 2)] * 10, "+0.00", "20 of 20", 1),
        ([(0, 2), (2, 0)] * 10, "+0.00", "0 of 20", -1),
        ([(1, 1)] * 20, "+0.00", "20 of 20", "undefined"),
        ([(1, 1.5)] * 18 + [(0, 1)], "+0.53", "18 of 19", "too few"),
    ],
    ids=["one is stricter", "full agreement", "the opposite", "all equal", "too few"],
)
def test_kappa_is_that_of_the_table_of_categories(book, pairs, mean, within, kappa):
    """With an interval around it; the same marks have the same interval."""
    students = {f"s{number:02}": pair for number, pair in enumerate(pairs)}
    book.enter(**dict.fromkeys(students, "The root."))
    book.mark_all({student: first for student, (first, _) in students.items()})
    ask_for_second_marks()
    fill({student: str(second) for student, (_, second) in students.items()})
    printed = typed("marking", "compare", SECOND)[1]
    assert typed("marking", "compare", SECOND)[1] == printed
    (line,) = (
        line for line in printed.splitlines() if line.split()[:2] == [WRITTEN, str(len(pairs))]
    )
    *columns, agreement = re.split(r"\s{2,}", line.strip())
    assert columns == [WRITTEN, str(len(pairs)), mean, within]
    if isinstance(kappa, str):
        assert agreement == kappa
    else:
        value, low, high = map(float, re.findall(r"-?[\d.]+", agreement))
        assert value == pytest.approx(kappa, abs=0.005) and low <= value <= high
        assert low < high or abs(kappa) == 1


def test_second_marks_of_pages_are_compared_with_those_in_tables(book, mark_on_page):
    ask_for_second_marks()
    assert "No second marks" in typed("marking", "compare")[1]
    book.mark("ada", 2.0)
    assert "1 second mark" in mark_on_page("Lee", ada=0.5)[1]
    _, printed = typed("marking", "compare", SECOND)
    assert "1 answer has two marks." in printed and f"ada, {WRITTEN}: 2 and 0.5" in printed
    assert "3 without a second mark" in printed
    for words in ([], ["--assignment", book.assignment.id]):
        _, printed = typed("marking", "compare", *words)
        assert f"ada, {WRITTEN}: 2 and 0.5" in printed and "without a second mark" not in printed
