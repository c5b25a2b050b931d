"""`student`: one student is planted in each kind of places, handed out, and deleted."""

import io
import json
import shutil
import sqlite3
import zipfile
from pathlib import Path

import pytest
from exports import ADA, BEN, ID, keep, verdict
from planted_student import (
    IDLE,
    MAIL,
    NAME,
    NEAR,
    SUBMITTED,
    ZEB,
    marked_answers,
    naming,
    rows_of,
    student,
    write,
)
from recorded import everything_received, plant_roster, receipts, recorded_rows
from typed_commands import refused

from autograder import read_verdict
from autograder.classroom.records import read_records
from autograder.classroom.records.received import Submission, Unmatched
from autograder.classroom.roster import Person, read_remembered, read_roster
from autograder.classroom.unmatched import unmatched_path
from autograder.desk.marking.given import read_given
from autograder.desk.report.written_files import KEPT
from autograder.desk.returns import Return
from autograder.desk.student_data import traces
from autograder.desk.student_data.parts import OF_REPORTS
from autograder.desk.student_data.places import PLACES
from autograder.engine.files import read_table
from autograder.engine.verdicts import read_counted
from autograder.platforms.exports import ExportRecord

pytestmark = pytest.mark.database
DELETE = "delete", ZEB, "--yes"


def contents() -> dict[str, bytes]:
    """All files of the course, by path."""
    found = (path for path in Path().rglob("*") if path.is_file() and not path.is_symlink())
    return {str(path): path.read_bytes() for path in found if path.name != ".lock"}


def test_a_deletion_leaves_nothing_of_the_student_and_all_of_the_others(planted_course):
    before, named = contents(), naming()
    status, said = student(*DELETE)
    assert status == 0 and f"Nothing in the course names {ZEB} any more." in said, said
    counted = dict(line.split(": ", 1) for line in said.splitlines() if ": " in line)
    kinds = {place.name for place in PLACES}
    assert kinds <= counted.keys() and "nothing" not in counted.values() and len(kinds) <= 10
    assert len(named) > 25 and naming() == []
    backup = "gradebook.db.2026-01-01-000000.000000"
    assert rows_of(ZEB) == rows_of(ZEB, backup) == 0
    assert marked_answers() == 1, "the other student's"
    assert not Path("submitted", ZEB).exists(), "nor empty folders"
    assert planted_course.parent.exists(), "a link is deleted, not what it leads to"

    after = contents()
    for path in before.keys() & after.keys():
        assert before[path] == after[path] or path in named or path == "people.csv", path
    assert all(NEAR not in path for path in before.keys() - after.keys())
    assert rows_of(NEAR) == rows_of(ADA) == rows_of(NEAR, backup) == 1
    assert everything_received(SUBMITTED) == {b"{1}", b"{5}"}, "the first is ada's as well"
    assert [row["student"] for row in receipts(SUBMITTED, ID)] == [ADA]
    assert [row.name for row in recorded_rows(SUBMITTED, Submission)] == ["Ada Softmax", "Bo Li"]
    (unmatched,) = recorded_rows(SUBMITTED, Unmatched)
    assert "a student who was deleted" in unmatched.reason
    assert unmatched_path(SUBMITTED, ID).read_text() == "file,name,student\ny,Bo Li,\n"
    assert [*read_roster(SUBMITTED, ID)] == [ADA, NEAR]
    assert {row.student for row in read_remembered(SUBMITTED, ID)} == {ADA, IDLE.student, NEAR}
    assert [mark.student for mark in read_given(Path("results"), ID)] == [ADA]
    assert read_counted(Path("results"), ID) == {ADA: "t"}
    assert read_verdict(Path("results", ID, f"{NEAR}.json"))
    assert Path("results", ID, "cells", f"{NEAR}.00ff.json").is_file()
    assert [sent.to for sent in read_records(Path("results"), ID, Return)] == [ADA]
    assert [sent.sent for sent in read_records(Path("results"), ID, ExportRecord)] == [{ADA: "a"}]
    assert Path("extensions.csv").read_bytes() == (
        f'student,assignment,until,note\r\n{ADA},{ID},2026-12-02,"a\r\nb"\r\n'.encode()
    )
    assert Path("people.csv").read_bytes() == f"student;name\n{ADA};Ada Softmax\n".encode()
    assert Path("nbgrader.log").read_text() == f"graded {ADA}\n"


def test_who_handed_in_nothing_is_known_by_the_roster_that_collect_was_given(
    planted_course, tmp_path
):
    write("grading.csv", f"Identifier,Email address\n1,{IDLE.email}\n2,bo@uni.example\n")
    write("moodle/download.csv", f"Identifier,Email address\n1,{IDLE.email}\n")
    said = student("export", IDLE.student, "--to", str(tmp_path / "i.zip"), "--yes")[1]
    assert "records: 1, goes into the zip" in said
    with zipfile.ZipFile(tmp_path / "i.zip") as packed:
        assert IDLE.email in packed.read("received/records.json").decode()
    status, said = student("delete", IDLE.student, "--yes")
    assert status == 1 and "moodle/download.csv: it names the student" in said, said
    assert Path("grading.csv").read_text() == "Identifier,Email address\n2,bo@uni.example\n"
    assert IDLE.student not in [one.student for one in read_remembered(SUBMITTED, ID)]


def test_what_is_not_ours_to_delete_is_left_and_reported(planted_course):
    write("lecture.html", f"<p>written by hand, about {ZEB}")
    Path("backups").mkdir()
    shutil.copy("records.db", "backups/records.db")
    status, said = student(*DELETE)
    assert Path("results", ID, "export", "moodle.csv").is_file()
    for path in ("backups/records.db", "lecture.html"):
        assert status == 1 and f"{path}: it names the student" in said
    assert naming() == ["backups/records.db", "lecture.html"]


def test_a_name_that_two_have_tells_nothing(planted_course):
    plant_roster(SUBMITTED, ID, [Person(NEAR, NAME)])
    write("people.csv", f"student,name\n,{NAME}\n")
    student(*DELETE)
    assert Path("people.csv").read_text() == f"student,name\n,{NAME}\n"


def test_nothing_is_done_before_it_is_agreed_to(planted_course, monkeypatch):
    before = contents()
    status, said = student("delete", ZEB)
    assert status == 0 and "Nothing is done: add --yes." in said and contents() == before
    assert "made of the whole class: 1, to be deleted; made again by: export" in said
    assert "tables of staff: 5, only the student's rows are to be deleted" in said
    monkeypatch.setattr("autograder._commands.terminal.is_there_to_answer", lambda: True)
    monkeypatch.setattr("sys.stdin", io.StringIO("no\n"))
    assert "Delete all of this for ever?" in student("delete", ZEB)[1] and contents() == before


@pytest.mark.parametrize("after", [0, 5, 11, 17, 23])
def test_a_deletion_that_was_killed_is_done_again(planted_course, monkeypatch, after):
    def killed(*arguments):
        for number, trace in enumerate(complete(*arguments)):
            if number == after:
                raise KeyboardInterrupt
            yield trace

    complete = traces.delete_traces
    with monkeypatch.context() as patch:
        patch.setattr("autograder.desk.commands.student.delete_traces", killed)
        assert student(*DELETE)[0] == 130
    assert naming(), "something is left"
    assert student(*DELETE)[0] == 0 and naming() == []


def test_points_are_kept_once_under_a_pseudonym(planted_course):
    table = Path("results", ID, "kept-points.csv")
    write(str(table), "pseudonym,state,points,max_points,by_hand,penalty\r\nff,graded,1,2,,\r\n")
    assert student(*DELETE, "--keep-points")[0] == 0 and naming() == []
    header, earlier, kept = read_table(table).rows
    assert earlier[0] == "ff" and dict(zip(header, kept, strict=True)) == {
        "pseudonym": kept[0], "state": "graded", "points": "7.5", "max_points": "10.0",
        "by_hand": "3.25", "penalty": "1.0",
    }  # fmt: skip
    keep(verdict(ZEB, 7.5, notes=["seen by `look-alikes`"]))
    student(*DELETE, "--keep-points")
    assert read_table(table).rows == [header, earlier, kept], "also after an interruption"


def test_results_on_another_disk_are_not_forgotten(planted_course, tmp_path):
    for name in ("results", "submitted"):
        shutil.move(name, tmp_path / name)
        Path(name).symlink_to(tmp_path / name)
    assert student(*DELETE)[0] == 0 and naming(tmp_path / "results") == []
    assert naming(tmp_path / "submitted") == []


def test_an_export_has_all_of_the_student_and_nothing_of_others(planted_course, tmp_path):
    to = tmp_path / "zeb.zip"
    before = contents()
    status, said = student("export", ZEB, "--to", str(to), "--yes")
    assert status == 0 and contents() == before, said
    with zipfile.ZipFile(to) as packed:
        files = {name: packed.read(name).decode() for name in packed.namelist()}
    assert {name for name in files if ZEB in name} == {
        f"submitted/{ZEB}/{ID}/{ID}.html", f"feedback/{ZEB}/{ID}/{ID}.html",
        f"results/{ID}/{ZEB}.md", f"results/{ID}/history/{ZEB}.md",
    }  # fmt: skip
    text = "\n".join(files.values())
    assert MAIL in text
    answered, asked = map(json.loads, files[f"results/{ID}/inquiries.jsonl"].splitlines())
    assert answered["text"] == "why?" and answered["decision"] == {
        "at": "2026-12-01T12:00:00Z", "old_points": 3.25, "new_points": 4.0, "max_points": 4.0,
        "reason": "So be it.",
    }  # fmt: skip
    assert asked["exercise"] == "softmax" and asked["decision"] is None, "begun, and not entered"
    assert "By which number?" in files[f"results/{ID}/{ZEB}.md"]
    marks = json.loads(files["gradebook.json"])[ID]
    assert marks["penalty"] == 1.0 and marks["cells"][1] == {
        "name": "explain", "max_points": 4.0, "automatic": None, "by_hand": 3.25, "extra": None,
        "is_open": False, "is_written": False, "earlier": None, "owner": "",
    }  # fmt: skip
    assert files["extensions.csv"] == f"student,assignment,until\r\n{ZEB},{ID},2026-12-01\r\n"
    for word in (ADA, "Ada Softmax", NEAR, 'for staff"', "look-alikes`", ",ill", "Mia", "how?"):
        assert word not in text, word
    received = {text for name, text in files.items() if name.startswith(f"received/{ID}/")}
    assert received == {"{1}", "{2}", "{3}", "{4}"}, "all that the student sent"
    records = json.loads(files["received/records.json"])
    assert {row["name"] for row in records["received_submissions"]} == {NAME, ""}
    assert {row["student"] for row in records["received_roster_rows"]} == {ZEB}


def test_an_export_overwrites_nothing(planted_course, tmp_path):
    to = tmp_path / "zeb.zip"
    to.write_text("mine")
    assert "is there: move it away" in refused("student", "export", ZEB, "--to", to, "--yes")
    assert "There is no folder" in refused("student", "export", ZEB, "--to", tmp_path / "no" / "z")
    assert to.read_text() == "mine"


@pytest.mark.parametrize("verb", ["export", "delete"])
def test_who_has_marked_is_no_student(planted_course, tmp_path, verb):
    write("tutors.csv", "name,email\nMia,mia@uni.example\n")
    with sqlite3.connect("gradebook.db") as book:
        book.execute("create table notes as select 'as Mia says' as text")
    book.close()
    before = contents()
    to = ["--to", tmp_path / "m.zip"] * (verb == "export")
    status, said = student(verb, "Mia", *map(str, to), "--yes")
    assert status == 2 and "No student has the id `Mia`" in said.splitlines()[-1]
    assert contents() == before and not (tmp_path / "m.zip").exists()


@pytest.mark.parametrize("id", ["nobody", "../zq77", "*", "a\nb", BEN[:3], "Zq77"])
def test_an_id_that_nobody_has_is_said_in_one_sentence(planted_course, id):
    before = contents()
    said = refused("student", "delete", id, "--yes")
    assert "No student has the id" in said or "is no student's id" in said
    assert contents() == before


def test_a_table_that_is_none_stops_all_before_anything_is_done(planted_course):
    write("late.csv", f'student,assignment\n"{ZEB}')
    before = contents()
    assert "`late.csv`, line" in refused(*("student", *DELETE))
    assert contents() == before


@pytest.mark.parametrize("place", [f"results/{ID}/.lock", f"results/{ID}", "submitted"])
def test_nobody_grades_answers_or_collects_meanwhile(planted_course, place):
    from autograder.engine.files.locks import locked

    with locked(Path(place), ""):
        assert "Somebody is grading, collecting or answering" in refused(*("student", *DELETE))
    assert rows_of(ZEB) == 1


def test_tables_of_a_report_are_known_by_what_report_writes(planted_course):
    assert OF_REPORTS == KEPT
    write("numbers/a-b.csv", f"student\n{ADA}\n{ZEB}\n")
    write(f"numbers/{KEPT}", '{"a-b.csv": "hash"}')
    write("mine/a-b.csv", f"student\n{ADA}\n{ZEB}\n")
    assert student(*DELETE)[0] == 1 and not Path("numbers/a-b.csv").exists()
    assert naming() == ["mine/a-b.csv"]


def test_zips_inside_zips_names_without_end_and_other_databases_stop_nothing(planted_course):
    inner = io.BytesIO()
    with zipfile.ZipFile(inner, "w") as packed:
        packed.writestr("a", "quine")
    with zipfile.ZipFile("outer.zip", "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("inner.zip", inner.getvalue())
    write("broken.zip", b"PK" + b"\0" * 50)
    Path("backups").mkdir()
    with sqlite3.connect("backups/other.db") as book:
        book.execute("create table notes (text)")
    book.close()
    plant_roster(SUBMITTED, ID, [Person(NEAR, "x " * 100_000), Person(ZEB, "Quo " * 100_000)])
    status, said = student(*DELETE)
    assert status == 0 and rows_of(ZEB) == 0, said
