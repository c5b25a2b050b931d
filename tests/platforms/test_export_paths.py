"""An export goes where it was asked to, and replaces nothing but an earlier one."""

from pathlib import Path

from exports import ADA, canvas_course, wrong


def test_nothing_but_an_earlier_export_is_replaced(export):
    sheet = canvas_course().export()
    Path("sheet.csv").write_bytes(sheet)
    assert "is what you downloaded" in wrong(
        export, "canvas", "--sheet", "sheet.csv", "--out", "sheet.csv"
    )
    assert Path("sheet.csv").read_bytes() == sheet
    Path("thesis.csv").write_text("chapter,pages\n1,20\n")
    assert "no earlier export" in wrong(export, "csv", "--out", "thesis.csv")
    assert "makes a .csv file" in wrong(export, "csv", "--out", f"results/sheet-3/{ADA}.json")
    for _ in range(2):
        assert export("csv", "--out", "mine.csv")[0] == 0
    assert {path.name for path in Path().glob("mine*")} == {"mine.csv", "mine-checks.csv"}


def test_a_place_that_cannot_be_written_is_said(export):
    Path("file").write_text("x")
    status, said = export("csv", "--out", "file/here")
    assert status == 1 and said.count("\n") == 1 and "file/here" in said
