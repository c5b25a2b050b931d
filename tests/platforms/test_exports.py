"""The record of exports: a line for each, of which the last one to each platform is of interest."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

from exports import ADA, BEN, ID, keep, verdict

from autograder.gradebook.grades import combine_grades, read_results
from autograder.platforms.exports import last_exports

FOLDER = Path("results", ID).absolute


def grades():
    return combine_grades(read_results(Path("results"), ID), {}, {}, Path("submitted"))


def test_an_export_leaves_when_it_was_where_its_files_are_and_how_many_grades(export):
    for format in ("csv", "gradescope", "csv"):
        export(format, *(["--out", "mine"] if format == "csv" else []))
    csv, gradescope = last_exports(Path("results"), ID)
    assert (csv.format, csv.grades) == ("csv", 2), "the third has no grade"
    assert gradescope.paths == [str(FOLDER() / "export" / "autograder.zip")]
    assert csv.paths == [
        str(Path("mine", name).absolute()) for name in ("students.csv", "checks.csv")
    ]
    assert timedelta(0) <= datetime.now(UTC) - csv.exported_at < timedelta(minutes=5)
    assert csv.exported_at > gradescope.exported_at


def test_it_is_known_about_whom_something_else_would_be_sent_now(export):
    export("csv")
    (record,) = last_exports(Path("results"), ID)
    assert record.changed(reversed(grades())) == []
    keep(verdict(BEN, 7.25))
    assert record.changed(grades()) == [BEN]
    keep(verdict(BEN, 7.5))
    assert record.changed(grades()) == []
    Path("results", ID, f"{ADA}.json").unlink()
    assert record.changed(grades()) == [ADA]


def test_an_export_that_is_refused_leaves_no_record(export):
    Path("mine.csv").write_text("my own table")
    assert export("csv", "--out", "mine.csv")[0] == 2 and last_exports(Path("results"), ID) == []
    export("csv")
    assert [one.format for one in last_exports(Path("results"), ID)] == ["csv"]
