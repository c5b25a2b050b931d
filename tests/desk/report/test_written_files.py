"""A report replaces an earlier report, and nothing else."""

import csv
import os
from pathlib import Path

import pytest

from autograder import AutograderError
from autograder.desk.report.tables import NumberTable
from autograder.desk.report.written_files import refuse_others, write_page, write_tables

TABLES = {"sheet-points.csv": NumberTable("points", ["a", "b"], [[1.5, "=x"], [None, "y"]])}


def test_a_page_is_written_over_nothing_and_over_an_earlier_one(tmp_path):
    path = tmp_path / "new" / "report.html"
    refuse_others(path)
    write_page(path, "<p>one</p>\n")
    write_page(path, "<p>two</p>\n")
    assert path.read_text().startswith("<p>two</p>\n<!-- python -m autograder report: ")


@pytest.mark.parametrize(
    "content", ["", "<html>mine</html>", "<!-- python -m autograder report: 123 -->\n", "\udcff"]
)
def test_what_no_report_wrote_stays(tmp_path, content):
    path = tmp_path / "report.html"
    path.write_bytes(os.fsencode(content))
    with pytest.raises(AutograderError, match="was not written by `report`"):
        write_page(path, "<p>two</p>\n")
    assert path.read_bytes() == os.fsencode(content)


def test_a_page_that_somebody_changed_stays(tmp_path):
    path = tmp_path / "report.html"
    write_page(path, "<p>one</p>\n")
    for changed in (path.read_text().replace("one", "my own words"), path.read_text() + "more"):
        path.write_text(changed)
        with pytest.raises(AutograderError):
            write_page(path, "<p>two</p>\n")
        assert path.read_text() == changed


def test_a_link_or_a_folder_is_not_written_over(tmp_path):
    page, link = tmp_path / "page.html", tmp_path / "link.html"
    write_page(page, "<p>one</p>\n")
    link.symlink_to(page)
    with pytest.raises(AutograderError):
        write_page(link, "<p>two</p>\n")
    with pytest.raises(AutograderError, match="is a folder"):
        refuse_others(tmp_path)
    assert link.is_symlink() and "one" in page.read_text()


def test_tables_are_csv_without_formulas_and_written_again(tmp_path):
    folder = tmp_path / "numbers"
    for _ in range(2):
        write_tables(folder, TABLES)
    with (folder / "sheet-points.csv").open(newline="") as file:
        assert list(csv.reader(file)) == [["a", "b"], ["1.5", "'=x"], ["", "y"]]


def test_tables_leave_the_files_of_others_and_changed_ones(tmp_path):
    (tmp_path / "mine.csv").write_text("mine")
    write_tables(tmp_path, TABLES)
    path = Path(tmp_path, "sheet-points.csv")
    path.write_text("changed")
    other = {"sheet-new.csv": TABLES["sheet-points.csv"], **TABLES}
    with pytest.raises(AutograderError, match=r"sheet-points.csv"):
        write_tables(tmp_path, other)
    assert path.read_text() == "changed" and (tmp_path / "mine.csv").read_text() == "mine"
    assert not (tmp_path / "sheet-new.csv").exists()
    with pytest.raises(AutograderError):
        write_tables(tmp_path, {"mine.csv": TABLES["sheet-points.csv"]})
