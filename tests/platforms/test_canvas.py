"""Canvas takes back its gradebook, nothing emptied, and a file beside each upload, by the upload's name."""

import csv
import io
import json
from pathlib import Path

import nbformat
import pytest
from downloads import BOOK, ours, unzipped, zipped
from exports import (
    ADA,
    BEN,
    CLEO,
    COLUMN,
    UNSCALED,
    canvas_course,
    enroll,
    export_collected,
    made,
    verdict,
    wrong,
)
from importers import CanvasUploads

from autograder.people.roster import Person
from autograder.platforms.feedback import markdown_parts, notebook
from autograder.platforms.grades import Grade


@pytest.mark.parametrize(("delimiter", "bom"), [(",", False), (";", True)])
def test_canvas_takes_back_its_gradebook_with_one_column_filled(export, delimiter, bom):
    course = canvas_course(u109="2")
    Path("sheet.csv").write_bytes(course.export(delimiter, bom))
    status, said = export("canvas", "--sheet", "sheet.csv")
    assert status == 0, said
    filled = made("canvas.csv")
    before, after = (
        list(csv.reader(io.StringIO(text.decode()), delimiter=delimiter))
        for text in (course.export(delimiter, bom), filled)
    )
    place = before[0].index(COLUMN)
    assert [row[:place] + row[place + 1 :] for row in before] == [
        row[:place] + row[place + 1 :] for row in after
    ]
    course.take(filled)
    assert course.changed == [(COLUMN, "101", "10"), (COLUMN, "102", "7.5")]


def test_the_roster_says_who_is_who_in_canvas(export):
    enroll("canvas", {ADA: "102", BEN: "101"})
    course = canvas_course()
    export.into(course)
    assert course.grades[COLUMN] == {"102": "10", "101": "7.5"}


def test_a_grade_in_canvas_is_kept_where_we_have_none(export):
    course = canvas_course(u101="EX", u102="6", u103="8")
    said = export.into(course)
    assert f"Left as the sheet has it: {ADA} (EX), {CLEO} (8)." in said
    assert "1 had another grade in the sheet" in said
    assert course.changed == [(COLUMN, "102", "7.5")]


def test_a_column_that_is_not_clear_is_asked_for(export):
    content = canvas_course().export().replace(COLUMN.encode(), b"Quiz (4711)")
    Path("sheet.csv").write_bytes(content)
    status, said = export("canvas", "--sheet", "sheet.csv")
    assert status == 2 and said.count("\n") == 1
    assert "`Warm-up (17)`, `Quiz (4711)`" in said and "--column" in said
    for name in ("Quiz (4711)", "Quiz", "4711"):
        assert export("canvas", "--sheet", "sheet.csv", "--column", name)[0] == 0
    assert export("canvas", "--sheet", "sheet.csv", "--column", "Final Score")[0] == 2


def test_without_a_sheet_canvas_gets_a_table_of_those_with_a_grade(export):
    enroll("canvas", {ADA: "101", BEN: "102", CLEO: "103"})
    assert export("canvas", "--column", "Sheet 3")[0] == 0
    course = canvas_course(u103="8")
    course.take(made("canvas.csv"))
    assert course.grades[COLUMN] == {"101": "10", "102": "7.5", "103": "8"}


def test_a_read_only_column_is_no_candidate(export):
    course = canvas_course()
    course.possible[COLUMN] = "(read only)"
    Path("sheet.csv").write_bytes(course.export())
    said = wrong(export, "canvas", "--sheet", "sheet.csv", "--column", COLUMN)
    assert said.endswith("one of these: `Warm-up (17)`.\n")


def feedback(into, points: float = 7.5) -> bytes:
    """The zip that Canvas gets, where everybody who was collected has these points."""
    students = [path.name for path in into.iterdir() if path.name[0] != "."]
    folder = export_collected(into, "canvas", dict.fromkeys(students, points))
    return (folder / "canvas-feedback.zip").read_bytes()


def test_canvas_finds_each_student_by_the_name_of_the_newest_upload(collect, into):
    collect({f"softmaxada_101_7001_{BOOK}": ours(1)})
    collect(
        {
            f"softmaxada_LATE_101_7002_{BOOK[:-6]}-1.ipynb": ours(2),
            "maskben_102_8001_work.zip": zipped({BOOK: ours(3)}),
            f"anon_aB3xZ_8002_{BOOK}": ours(4),
        }
    )
    canvas = CanvasUploads(
        {("101", "7002"): BOOK, ("102", "8001"): "work.zip", ("aB3xZ", "8002"): BOOK}
    )
    canvas.take_feedback(feedback(into))
    assert canvas.comments.keys() == {"101", "102", "aB3xZ"}
    book = nbformat.reads(canvas.comments["101"][BOOK].decode(), as_version=4)
    nbformat.validate(book)
    assert UNSCALED.sentence.split("`")[1] in "".join(cell.source for cell in book.cells)
    assert b"7.5 of 10" in unzipped(canvas.comments["102"]["work.zip"])["feedback.html"]


def test_a_name_in_which_canvas_would_read_other_numbers_is_not_kept(collect, into):
    collect({f"Team_3_softmaxada_101_7002_{BOOK}": ours(1)})
    canvas = CanvasUploads({("101", "7002"): BOOK})
    canvas.take_feedback(feedback(into))
    assert canvas.comments.keys() == {"101"}


def test_whoever_was_not_collected_from_canvas_is_named(collect, into, capfd):
    collect({f"ada/{BOOK}": ours(1), f"ben/{BOOK}": ours(2)})
    content = feedback(into)
    assert unzipped(content) == {}
    assert "No feedback for Canvas of ada, ben" in capfd.readouterr().out


def test_an_export_again_is_taken_for_one(collect, into):
    collect({f"softmaxada_101_7001_{BOOK}": ours(1)})
    out = into.parent / "out"
    for points in (7.5, 10.0):
        student = next(path.name for path in into.iterdir() if path.name[0] != ".")
        export_collected(into, "canvas", {student: points}, "--out", str(out))
    (page,) = unzipped((out / "canvas-feedback.zip").read_bytes()).values()
    assert "10 of 10" in page.decode()


def test_a_download_of_canvas_in_the_way_is_kept(collect, into):
    collect({f"softmaxada_101_7001_{BOOK}": ours(1)})
    download = into.parent / "canvas-feedback.zip"
    download.write_bytes(zipped({f"softmaxada_101_7001_{BOOK}": ours(1)}))
    before = download.read_bytes()
    out = ["--out", str(into.parent)]
    with pytest.raises(AssertionError):
        export_collected(into, "canvas", {"softmaxada-101": 7.5}, *out)
    assert download.read_bytes() == before


HOSTILE = "`\n</script><img src=x onerror=alert(1)> [a](javascript:b) $x$ @staff #12 https://x.example www.y.example"


def test_what_a_student_wrote_means_nothing_in_markdown():
    grade = Grade(Person("cleo"), verdict("cleo", 0, "unreadable", reason=HOSTILE))
    text = "\n".join(markdown_parts(grade))
    assert "<img" not in text.replace("\\<", "") and "](" not in text.replace("\\](", "")
    assert (
        "`@`staff" in text
        and "`#`12" in text
        and "\\$x\\$" in text
        and "`//`" in text
        and "`www`.y" in text
    )
    assert text.count("\n") == 3
    cells = json.loads(notebook(grade))["cells"]
    assert [cell["cell_type"] for cell in cells] == ["markdown"]


def test_notes_for_staff_are_not_in_it():
    grade = Grade(Person("ben"), verdict("ben", 7.5, notes=["`second_part` uses `nn.Secret`."]))
    text = "".join(markdown_parts(grade))
    assert "second part" in text and "Secret" not in text
