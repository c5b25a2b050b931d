"""`course archive`: what must be kept, with names or without."""

import csv
import io
import sqlite3
import zipfile
from contextlib import closing
from pathlib import Path

import pytest
from exports import ADA, BEN, CLEO, ID
from planted_student import NAME, NEAR, ZEB, naming
from typed_commands import refused, typed

from autograder.engine.courses import read_course

pytestmark = [pytest.mark.database, pytest.mark.usefixtures("planted_course")]


def test_a_new_course_is_made_in_no_folder_that_has_something(tmp_path):
    like, folder = Path.cwd(), tmp_path / "practice"
    folder.mkdir()
    (tmp_path / "file").touch()
    status, said = typed("course", "new", folder)
    made = read_course(folder)
    assert status == 0 and f"-> {folder}" in said and made.source == like / "source"
    before = (folder / "nbgrader_config.py").read_bytes()
    for there in (folder, tmp_path / "file"):
        said = refused("course", "new", there, "--course", like)
        assert "is there and not empty: name another folder" in said
    assert (folder / "nbgrader_config.py").read_bytes() == before


def archived(to: Path, *words: str) -> dict[str, bytes]:
    """The files of an archive, by path."""
    status, said = typed("course", "archive", "--to", to, "--yes", *words)
    assert status == 0, said
    with zipfile.ZipFile(to) as packed:
        assert {one.date_time[0] for one in packed.infolist()} == {1980}, "not the time of writing"
        return {name: packed.read(name) for name in packed.namelist()}


def test_all_is_kept_that_cannot_be_made_again(tmp_path):
    Path("submitted", ADA).mkdir()
    Path("submitted", ADA, "link.ipynb").symlink_to("/etc/passwd")
    files = archived(tmp_path / "a.zip")
    for name in (f"results/{ID}/{ADA}.json", f"results/{ID}/history/{ZEB}.jsonl", "extensions.csv",
                 f"submitted/{ZEB}/{ID}/{ID}.html", f"unmatched-{ID}.csv",
                 "nbgrader_config.py"):  # fmt: skip
        assert files[name] == Path(name).read_bytes()
    made_again = {"report.html", f"results/{ID}/.files", f"results/{ID}/look-alikes.html"}
    assert not made_again & files.keys() and not any("link" in name for name in files)
    for name, table, rows in (
        ("gradebook", "submitted_assignment", 3),
        ("records", "placements", 2),
    ):
        with closing(sqlite3.connect(":memory:")) as database:
            database.deserialize(files[f"{name}.db"])
            assert database.execute(f"select count(*) from {table}").fetchone() == (rows,)


def test_the_same_course_gives_the_same_bytes(tmp_path):
    for words in ((), ("--without-names",)):
        one, other = tmp_path / f"1{words}.zip", tmp_path / f"2{words}.zip"
        assert archived(one, *words) == archived(other, *words)
        assert one.read_bytes() == other.read_bytes()


def test_without_names_a_student_is_one_pseudonym_and_nothing_else(tmp_path):
    out = tmp_path / "out"
    out.mkdir()
    files = archived(out / "a.zip", "--without-names")
    assert naming(out) == [] and {*files} == {f"{ID}/checks.csv", f"{ID}/marks.csv"}
    text = "".join(one.decode() for one in files.values())
    assert not any(word in text for word in (ADA, BEN, CLEO, NAME, "2026", "seen by"))
    checks, marks = (
        [*csv.DictReader(io.StringIO(files[f"{ID}/{name}.csv"].decode()))]
        for name in ("checks", "marks")
    )
    by_hand = {row["student"] for row in marks if row["by_hand"] == "3.25"}
    assert len(by_hand) == 1, "zq77"
    points = sum(float(row["points"]) for row in checks
                 if row["student"] in by_hand and row["submission"] == "2")  # fmt: skip
    assert points == 7.5, "the same pseudonym in both tables, and the newest submission"
    assert {row["submission"] for row in checks if row["student"] in by_hand} == {"1", "2"}
    named = dict(
        zip(
            sorted([ADA, BEN, CLEO, NEAR, ZEB]),
            sorted({r["student"] for r in checks} | {r["student"] for r in marks}),
            strict=False,
        )
    )
    assert {named[ZEB]} != by_hand, "not in the order of the ids"


def test_what_would_be_done_is_said_first(tmp_path):
    to = tmp_path / "a.zip"
    status, said = typed("course", "archive", "--to", to)
    assert status == 0 and "Nothing is done: add --yes." in said and not to.exists()
    assert "gradebook: 2 files" in said and "records: 2 files" in said
    assert "made of the whole class" in said.partition("Left out: ")[2]
    assert "the assignments" not in said, "source/ is in the course"
    said = typed("course", "archive", "--to", to, "--without-names")[1]
    assert "Left out: what people wrote" in said
    Path("nbgrader_config.py").write_text(
        f"c = get_config()\nc.CourseDirectory.source_directory = {str(tmp_path / 'mine')!r}\n"
    )
    said = typed("course", "archive", "--to", to)[1]
    assert f"the assignments, which are in `{tmp_path / 'mine'}`" in said.partition("Left out")[2]
    to.write_text("mine")
    assert "is there: move it away" in refused("course", "archive", "--to", to, "--yes")
