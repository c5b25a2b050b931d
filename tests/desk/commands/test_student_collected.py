"""`student delete` after a real `collect`: the same download brings nobody back."""

import re
from pathlib import Path

import pytest
from downloads import BOOK, ID, entry, ours, zipped
from recorded import everything_received, receipts, recorded_rows
from typed_commands import typed

from autograder.classroom.records.received import (
    DERIVED,
    FACTS,
    CollectRun,
    CoursePerson,
    Placement,
    Submission,
)

pytestmark = pytest.mark.database
ADA, BEN = "ada", "ben"
SUBMITTED = Path("submitted")
NAMES = {"Ada Softmax": 1001, "Ben Query": 1002}
HEADER = "Identifier,Full name,Email address,Status,Grade,Maximum Grade,Grade can be changed,"
HEADER += "Last modified (submission),Last modified (grade),Feedback comments\n"
ROW = "Participant {},{},{}@uni.example,Submitted for grading,,28.00,Yes,"
ROW += '"Friday, 20 November 2026, 6:40 PM",-,\n'


@pytest.fixture
def course(copied, monkeypatch) -> Path:
    """A course of its own as the current folder, with a download of two students."""
    root = copied.course.root
    monkeypatch.chdir(root)
    monkeypatch.setattr("nbgrader.api.get_alembic_version", lambda: "0")  # starts a program
    Path("../roster.csv").write_text(
        "student,name,email\nada,Ada Softmax,ada@uni.example\nben,Ben Query,ben@uni.example\n"
    )
    members = [
        (entry(f"{name}_{number}_assignsubmission_file/{BOOK}", (2026, 11, 20, hour, 0, 0)), ours(number))
        for hour, (name, number) in enumerate(NAMES.items(), 15)
    ]  # fmt: skip
    (root.parent / "download.zip").write_bytes(zipped(members))
    return root


def collect(*words: str) -> str:
    words = "--assignment", ID, "--timezone", "UTC", *words
    status, said = typed("collect", "../download.zip", "--into", "submitted", *words)
    assert status in (0, 3), said
    return said


def mentions(word: str) -> list[object]:
    """The rows of the records that have a word in a text."""
    kinds = CollectRun, *DERIVED, *FACTS
    rows = [row for kind in kinds for row in recorded_rows(SUBMITTED, kind)]
    texts = [(row, " ".join(map(str, vars(row).values())).lower()) for row in rows]
    return [row for row, text in texts if word in re.split(r"[^a-z0-9]+", text)]


@pytest.mark.parametrize("with_roster", [False, True])
def test_who_was_deleted_is_not_brought_back_by_the_same_download(course, with_roster):
    collect(*["--roster", "../roster.csv"] * with_roster)
    (student,) = [
        row.student for row in recorded_rows(SUBMITTED, CoursePerson) if "Ada" in row.name
    ]
    assert len(everything_received(SUBMITTED)) == 2
    assert typed("student", "delete", student, "--yes")[0] == 0
    for words in ([], ["--yes"]):
        said = collect(*words)
        assert "softmax" not in said.lower() and not mentions("softmax"), said
        assert not mentions(student) and not Path("submitted", student).exists()
        assert everything_received(SUBMITTED) == {ours(1002)}
        assert not [*Path().glob("unmatched-*.csv")]
    assert len(receipts(SUBMITTED, ID)) == 1 and len(recorded_rows(SUBMITTED, Placement)) == 1


def test_the_group_of_who_was_deleted_keeps_its_notebook_and_its_time(course):
    Path("groups.csv").write_text("student,group\nada,Pair\nben,Pair\n")
    sheet = HEADER + "".join(
        ROW.format(number, name, name.split()[0].lower()) for name, number in NAMES.items()
    )
    (course.parent / "sheet.csv").write_text(sheet)
    collect("--roster", "../roster.csv", "--worksheet", "../sheet.csv")
    (before,) = recorded_rows(SUBMITTED, Placement)
    assert before.sender == BEN and before.submitted_at.hour == 18
    status, said = typed("student", "delete", BEN, "--yes")
    assert status == 0 and not mentions("query") and not mentions(BEN), said
    for _ in range(2):
        collect()
        (now,) = recorded_rows(SUBMITTED, Placement)
        assert (now.student, now.notebook) == ("Pair", before.notebook)
        assert (now.submitted_at, now.source) == (before.submitted_at, before.source)
        assert not now.sender and not mentions("query") and not mentions(BEN)
    assert len(recorded_rows(SUBMITTED, Submission)) == 2
    assert typed("student", "delete", ADA, "--yes")[0] == 0
    collect()
    assert not everything_received(SUBMITTED) and not recorded_rows(SUBMITTED, Placement)


def test_lists_of_an_earlier_version_are_imported_before_anybody_is_deleted(course):
    collect()
    Path("submitted", ".received", ID).mkdir(parents=True)
    status, said = typed("student", "delete", "ada", "--yes")
    assert status == 2 and "collect a download, which imports it" in said
