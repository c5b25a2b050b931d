"""Grades leave as files that platforms take back: nothing emptied, nobody else's, no formula run."""

import csv
import dataclasses
import datetime
import io
import json
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from nbgrader.api import Gradebook
from platforms import GERMAN, Canvas, Moodle

from autograder.__main__ import main
from autograder.platforms.spreadsheet import neutral, plain
from autograder.platforms.feedback import merged, page
from autograder.platforms.grades import Grade, written
from autograder.platforms.spreadsheet import CHECKS, STUDENTS, write_table
from autograder.people import Person, roster_path, write_roster
from autograder.engine.verdict import CheckResult, ExerciseResult, NamedMistake, Verdict, write_verdict

STAMP = {
    **{"grader": "g", "submission": "s", "torch": "2.13.0", "python": "3.11"},
    **{"seed": 1, "sandbox": "namespaces"},
}
UNSCALED = NamedMistake("unscaled", "The scores are not divided by `sqrt(d_k)`.")
ADA, BEN, CLEO, DAN = "ada-softmax", "ben-query", "cleo-mask", "dan-token"
NAMES = {ADA: "Ada Softmax", BEN: "Ben Query", CLEO: "Cleo Mask", DAN: "Dan Token"}
COLUMN = "Encoder Layer (4711)"


def verdict(student: str, points: float, state: str = "graded", **more) -> Verdict:
    """Two exercises: one right, one with what is missing from 10."""
    lost = 10 - points
    checks = [
        CheckResult("test_values", 6 - lost, 6.0, not lost, "By which number?" if lost else None)
    ]
    mistakes = [UNSCALED] if lost else []
    right = CheckResult("test_layers", 4.0, 4.0, True, None)
    exercises = [
        ExerciseResult("feed_forward", "answered", 4.0, 4.0, [right]),
        ExerciseResult("attention", "answered", 6 - lost, 6.0, checks, mistakes),
    ]
    if state != "graded":
        points, exercises = 0.0, []
    fields = {"exercises": exercises, "repairs": [], "seconds": 0.1, "stamp": STAMP}
    return Verdict(student, "encoder-layer", state, points, 10.0, **(fields | more))


@pytest.fixture
def place(tmp_path, monkeypatch) -> Path:
    """A course with results of three: ada 10, ben 7.5, cleo unreadable; dan has none."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("nbgrader.api.get_alembic_version", lambda: "0")  # starts a program
    (tmp_path / "nbgrader_config.py").write_text("c = get_config()\n")
    for one in (
        verdict(ADA, 10.0),
        verdict(BEN, 7.5),
        verdict(CLEO, 0.0, "unreadable", reason="its JSON is damaged."),
    ):
        keep(one)
    return tmp_path


def keep(one: Verdict) -> None:
    write_verdict(Path("results", one.assignment, f"{one.student}.json"), one)


def enroll(platform: str, numbers: dict[str, str]) -> None:
    people = [
        Person(student, NAMES[student], f"{student}@uni.example", platform, number)
        for student, number in numbers.items()
    ]
    write_roster(roster_path(Path("submitted"), "encoder-layer"), people)


@pytest.fixture
def export(place, capfd):
    """Run the command; return its status and what was said."""

    def run(*words: str | Path):
        status = main(["export", "results", "--format", *map(str, words)])
        return status, "".join(capfd.readouterr())

    return run


def enter(points: dict[str, float], by_hand: dict[str, float], penalty: dict[str, float]) -> None:
    """Put these automatic points into the gradebook, as grading does, and what a person gave."""
    with Gradebook("sqlite:///gradebook.db") as book:
        book.add_assignment("encoder-layer")
        book.add_notebook("encoder-layer", "encoder-layer")
        names = "encoder-layer", "encoder-layer"
        book.add_grade_cell("check", *names, max_score=10, cell_type="code")
        book.add_grade_cell("explain", *names, max_score=4, cell_type="markdown")
        for student, automatic in points.items():
            book.add_student(student)
            book.add_submission(
                "encoder-layer", student, timestamp=datetime.datetime(2026, 11, 2, 9, 30)
            )
            grade = book.find_grade("check", *names, student)
            grade.auto_score, grade.needs_manual_grade = automatic, False
            if student in by_hand:
                grade = book.find_grade("explain", *names, student)
                grade.manual_score, grade.needs_manual_grade = by_hand[student], False
            notebook = book.find_submission_notebook("encoder-layer", *names[:1], student)
            notebook.late_submission_penalty = penalty.get(student)
        book.db.commit()


def rows(path: str | Path) -> list[dict[str, str]]:
    with Path("results/encoder-layer/export", path).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, strict=True))


def by_student(path: str | Path = "students.csv") -> dict[str, dict[str, str]]:
    return {row["student"]: row for row in rows(path)}


# what a grade is


def test_a_grade_is_automatic_and_by_hand_less_what_being_late_costs(export):
    enter({ADA: 10.0, BEN: 7.5}, by_hand={ADA: 3.0}, penalty={ADA: 2.0, BEN: 50.0})
    status, said = export("csv")
    assert status == 0
    ada, ben = by_student()[ADA], by_student()[BEN]
    wanted = {"automatic": "10.0", "by_hand": "3.0", "late_penalty": "2.0", "total": "11.0"}
    assert wanted.items() <= ada.items()
    assert (ada["max_points"], ada["submitted"]) == ("14.0", "2026-11-02 09:30:00")
    assert (ben["total"], ben["to_mark_by_hand"]) == ("0.0", "1")
    assert f"1 written exercises of 1 students ({BEN})" in said


def test_points_changed_by_hand_in_a_check_count(export):
    enter({ADA: 10.0}, by_hand={}, penalty={})
    with Gradebook("sqlite:///gradebook.db") as book:
        grade = book.find_grade("check", "encoder-layer", "encoder-layer", ADA)
        grade.manual_score, grade.extra_credit = 8.0, 0.5
        book.db.commit()
    export("csv")
    assert (by_student()[ADA]["by_hand"], by_student()[ADA]["total"]) == ("-1.5", "8.5")


def test_a_gradebook_that_holds_other_points_is_not_used_and_that_is_said(export):
    enter({ADA: 10.0, BEN: 3.0}, by_hand={ADA: 4.0, BEN: 4.0}, penalty={})
    _, said = export("csv")
    assert by_student()[BEN]["total"] == "7.5" and by_student()[BEN]["by_hand"] == ""
    assert (
        f"1 with automatic points only, of 10: the gradebook does not hold these points of {BEN}"
        in said
    )


@pytest.mark.parametrize(
    ("words", "why"),
    [([], "there is no gradebook yet"), (["--no-gradebook"], "the gradebook was left out")],
)
def test_without_a_gradebook_points_are_automatic_only_and_none_is_made(export, words, why):
    status, said = export("csv", *words)
    assert status == 0 and f"2 with automatic points only, of 10: {why}" in said
    assert not Path("gradebook.db").exists()


def test_a_gradebook_that_cannot_be_read_stops_the_export(export):
    Path("gradebook.db").write_text("no database")
    status, said = export("canvas")
    assert status == 1 and "The gradebook cannot be read" in said and "--no-gradebook" in said
    assert not Path("results/encoder-layer/export").exists()


def test_what_is_no_zero_has_no_number_anywhere(export):
    keep(verdict(DAN, 0.0, "not_graded", reason="the worker was gone."))
    enroll("moodle", {ADA: "1", BEN: "2", CLEO: "3", DAN: "4"})
    for kind in ("csv", "moodle", "canvas", "gradescope"):
        status, said = export(kind)
        assert status == 0
        assert (
            f"No grade for {CLEO}. The submission could not be read: its JSON is damaged." in said
        )
        assert f"No grade for {DAN}. Not graded yet: the worker was gone." in said
    table = by_student()
    assert (table[CLEO]["total"], table[CLEO]["automatic"]) == ("", "")
    sheet = {row["Identifier"]: row for row in rows("moodle.csv")}
    assert sheet["Participant 4"]["Grade"] == ""
    assert "the worker was gone" in sheet["Participant 4"]["Feedback comments"]
    assert not {CLEO, DAN} & {row["SIS Login ID"] for row in rows("canvas.csv")}
    with zipfile.ZipFile("results/encoder-layer/export/gradescope.zip") as archive:
        assert archive.namelist() == [f"{ADA}/results.json", f"{BEN}/results.json"]


def test_practice_is_no_grade(export):
    keep(dataclasses.replace(verdict(ADA, 10.0), stamp=STAMP | {"sandbox": "practice"}))
    _, said = export("csv")
    assert by_student()[ADA]["total"] == "" and "these points are practice" in said


# tables for people


def test_each_check_has_a_row_with_its_mistakes(export):
    export("csv")
    row = next(row for row in rows("checks.csv") if row["student"] == BEN and row["passed"] == "no")
    assert row["exercise"] == "attention" and row["check"] == "test_values"
    assert (row["check_points"], row["points"]) == ("3.5", "3.5")
    assert (row["mistakes"], row["sentences"]) == (UNSCALED.id, UNSCALED.sentence)
    assert row["message"] == "By which number?"


@pytest.mark.parametrize(
    "cell",
    [
        *(
            "=1+1",
            "+1",
            "-1",
            "@SUM(A1)",
            "\t=1",
            "\rx",
            " =1",
            "\u00a0-1",
            "\uff1dcmd",
            "\u200b=1",
        ),
        *("fine;=1+1", "line\n=1+1", "'=1", "\ufeff=1"),
    ],
)
def test_no_cell_begins_like_a_formula(cell):
    made = neutral(cell)
    assert plain(made) == cell
    for piece in made.replace("\r", "\n").replace(";", "\n").split("\n"):
        assert not piece.strip(" \t\u00a0\u200b\ufeff").startswith(tuple("=+-@\uff1d")), made


NASTY = st.text(st.sampled_from("=+-@'; \t\r\n\x00ab,\"\u200b\uff1d\ufeff")) | st.text(max_size=30)


@given(NASTY)
def test_neutralised_text_is_the_text_again(text):
    assert plain(neutral(text)) == text
    assert not neutral(text).lstrip().startswith(("=", "+", "-", "@", "＝", "＋", "－", "＠"))


@given(cells=st.lists(st.tuples(NASTY, st.floats(allow_nan=False, allow_infinity=False))))
def test_a_table_reads_back_as_it_was(tmp_path_factory, cells):
    path = tmp_path_factory.getbasetemp() / "table.csv"
    write_table(path, ["text", "number"], cells)
    with path.open(encoding="utf-8", newline="") as file:
        (_, *read) = csv.reader(file, strict=True)
    assert [(plain(text), float(number)) for text, number in read] == cells


def test_a_name_that_is_a_formula_stays_a_name(export):
    person = Person(ADA, "=HYPERLINK(1)", "+x@uni.example", "moodle", "1")
    write_roster(roster_path(Path("submitted"), "encoder-layer"), [person])
    for kind, table, column in (
        ("csv", "students.csv", "name"),
        ("moodle", "moodle.csv", "Full name"),
        ("moodle", "moodle.csv", "Email address"),
        ("canvas", "canvas.csv", "Student"),
    ):
        assert export(kind)[0] == 0
        assert any(row[column].startswith("'") for row in rows(table)), column


# Canvas


def canvas_course(**grades: str) -> Canvas:
    people = {
        "101": {"Student": "Softmax, Ada", "SIS User ID": "S1", "SIS Login ID": ADA},
        "102": {"Student": "Query, Ben", "SIS User ID": "S2", "SIS Login ID": f"{BEN}@uni.example"},
        "103": {"Student": "Mask, Cleo", "SIS User ID": "S3", "SIS Login ID": CLEO},
        "109": {"Student": "Student, Test", "SIS User ID": "", "SIS Login ID": "f00"},
    }
    other = {"101": "3.5", "103": "EX", "109": "1"}
    given = {id.removeprefix("u"): grade for id, grade in grades.items()}
    return Canvas(
        people, {"Warm-up (17)": other, COLUMN: given}, {"Warm-up (17)": "5", COLUMN: "10"}
    )


@pytest.mark.parametrize(("delimiter", "bom"), [(",", False), (";", True)])
def test_canvas_takes_back_its_gradebook_with_one_column_filled(export, delimiter, bom):
    course = canvas_course(u109="2")
    Path("sheet.csv").write_bytes(course.export(delimiter, bom))
    status, said = export("canvas", "--sheet", "sheet.csv")
    assert status == 0, said
    made = Path("results/encoder-layer/export/canvas.csv").read_bytes()
    before, after = (
        list(csv.reader(io.StringIO(text.decode()), delimiter=delimiter))
        for text in (course.export(delimiter, bom), made)
    )
    place = before[0].index(COLUMN)
    assert [row[:place] + row[place + 1 :] for row in before] == [
        row[:place] + row[place + 1 :] for row in after
    ]
    course.take(made)
    assert course.changed == [(COLUMN, "101", "10"), (COLUMN, "102", "7.5")]


def test_the_roster_says_who_is_who_in_canvas(export):
    enroll("canvas", {ADA: "102", BEN: "101"})
    course = canvas_course()
    Path("sheet.csv").write_bytes(course.export())
    export("canvas", "--sheet", "sheet.csv")
    course.take(Path("results/encoder-layer/export/canvas.csv").read_bytes())
    assert course.grades[COLUMN] == {"102": "10", "101": "7.5"}


def test_a_grade_in_canvas_is_kept_where_we_have_none(export):
    course = canvas_course(u101="EX", u102="6", u103="8")
    Path("sheet.csv").write_bytes(course.export())
    _, said = export("canvas", "--sheet", "sheet.csv")
    assert f"Left as the sheet has it: {ADA} (EX), {CLEO} (8)." in said
    assert "1 had another grade in the sheet" in said
    course.take(Path("results/encoder-layer/export/canvas.csv").read_bytes())
    assert course.changed == [(COLUMN, "102", "7.5")]


def test_a_column_that_is_not_clear_is_asked_for(export):
    content = canvas_course().export().replace(b"Encoder Layer (4711)", b"Sheet 3 (4711)")
    Path("sheet.csv").write_bytes(content)
    status, said = export("canvas", "--sheet", "sheet.csv")
    assert status == 2 and said.count("\n") == 1
    assert "`Warm-up (17)`, `Sheet 3 (4711)`" in said and "--column" in said
    for name in ("Sheet 3 (4711)", "Sheet 3", "4711"):
        assert export("canvas", "--sheet", "sheet.csv", "--column", name)[0] == 0
    assert export("canvas", "--sheet", "sheet.csv", "--column", "Final Score")[0] == 2


def test_without_a_sheet_canvas_gets_a_table_of_those_with_a_grade(export):
    enroll("canvas", {ADA: "101", BEN: "102", CLEO: "103"})
    assert export("canvas", "--column", "Encoder Layer")[0] == 0
    course = canvas_course(u103="8")
    course.take(Path("results/encoder-layer/export/canvas.csv").read_bytes())
    assert course.grades[COLUMN] == {"101": "10", "102": "7.5", "103": "8"}


def test_two_rows_that_a_student_may_be_are_left_and_named(export):
    course = canvas_course()
    course.people["101"]["SIS Login ID"] = course.people["102"]["SIS User ID"] = ADA
    Path("sheet.csv").write_bytes(course.export())
    _, said = export("canvas", "--sheet", "sheet.csv")
    assert f"several rows or students may be meant: {ADA}." in said
    course.take(Path("results/encoder-layer/export/canvas.csv").read_bytes())
    assert course.grades[COLUMN] == {"102": "7.5"}


def test_names_alone_find_people_and_are_named(export):
    enroll("moodle", {ADA: "1", BEN: "2"})
    header = b"LastName,FirstName,ID,SIS Login ID,Section,Encoder Layer (4711)\n"
    Path("sheet.csv").write_bytes(header + b"Softmax,Ada,101,x1,A,\nquery,BEN,102,x2,A,\n")
    _, said = export("canvas", "--sheet", "sheet.csv")
    assert f"Found by name only, so please look: {ADA}, {BEN}." in said
    assert [row["Encoder Layer (4711)"] for row in rows("canvas.csv")] == ["10", "7.5"]


def test_a_row_that_a_number_has_taken_is_out_of_reach_for_a_name(export):
    people = [Person(ADA, "Ada Softmax", "", "canvas", "101"), Person(BEN, "Ada Softmax")]
    write_roster(roster_path(Path("submitted"), "encoder-layer"), people)
    course = canvas_course()
    course.people["102"]["SIS Login ID"] = "somebody"
    Path("sheet.csv").write_bytes(course.export())
    _, said = export("canvas", "--sheet", "sheet.csv")
    assert f"Not in the sheet: {BEN}." in said
    course.take(Path("results/encoder-layer/export/canvas.csv").read_bytes())
    assert course.grades[COLUMN] == {"101": "10"}


def test_a_read_only_column_is_no_candidate(export):
    course = canvas_course()
    course.possible[COLUMN] = "(read only)"
    Path("sheet.csv").write_bytes(course.export())
    said = wrong(export, "canvas", "--sheet", "sheet.csv", "--column", COLUMN)
    assert said.endswith("one of these: `Warm-up (17)`.\n")


def test_a_login_is_no_address_in_another_domain(export):
    course = canvas_course()
    course.people["102"]["SIS Login ID"] = f"{BEN}@elsewhere.example"
    Path("sheet.csv").write_bytes(course.export())
    keep(verdict(f"{BEN}@uni.example", 7.5))
    Path("results", "encoder-layer", f"{BEN}.json").unlink()
    _, said = export("canvas", "--sheet", "sheet.csv")
    assert f"Not in the sheet: {BEN}@uni.example." in said


# Moodle


def moodle_assignment(**more) -> Moodle:
    people = {
        str(2000 + i): {"name": name, "email": f"{student}@uni.example"}
        for i, (student, name) in enumerate(NAMES.items())
    }
    return Moodle(people, 10.0, **more)


@pytest.mark.parametrize("words", [{}, {"words": GERMAN}], ids=["English", "German"])
def test_moodle_takes_back_its_worksheet_and_the_pages(export, words):
    moodle = moodle_assignment(**words)
    moodle.people["2003"] |= {"grade": 4.0, "comment": "Well."}
    Path("sheet.csv").write_bytes(moodle.worksheet())
    status, said = export("moodle", "--sheet", "sheet.csv")
    assert status == 0, said
    folder = Path("results/encoder-layer/export")
    moodle.take((folder / "moodle.csv").read_bytes())
    assert [who.get("grade") for who in moodle.people.values()] == [10.0, 7.5, None, 4.0]
    assert UNSCALED.sentence in moodle.people["2001"]["comment"]
    assert "attention: 3.5 of 6" in moodle.people["2001"]["comment"]
    assert "its JSON is damaged" in moodle.people["2002"]["comment"]
    assert moodle.people["2003"]["comment"] == "Well."
    assert (b'"7,5"' if words else b",7.5,") in (folder / "moodle.csv").read_bytes()
    moodle.take_feedback((folder / "moodle-feedback.zip").read_bytes())
    assert {number: list(files) for number, files in moodle.files.items()} == {
        number: ["feedback.html"] for number in ("2000", "2001", "2002")
    }
    assert b"By which number?" in moodle.files["2001"]["feedback.html"]


def test_nbgraders_page_goes_back_where_there_is_one(export):
    Path("sheet.csv").write_bytes(moodle_assignment().worksheet())
    theirs = Path("feedback", ADA, "encoder-layer", "encoder-layer.html")
    theirs.parent.mkdir(parents=True)
    theirs.write_text("<p>nbgrader's</p>")
    export("moodle", "--sheet", "sheet.csv")
    moodle = moodle_assignment()
    moodle.take_feedback(Path("results/encoder-layer/export/moodle-feedback.zip").read_bytes())
    assert moodle.files["2000"]["feedback.html"] == b"<p>nbgrader's</p>"
    assert b"nbgrader" not in moodle.files["2001"]["feedback.html"]


def test_without_a_sheet_moodle_gets_a_worksheet_from_the_roster(export):
    enroll("moodle", {ADA: "2000", BEN: "Participant 2001", CLEO: "2002"})
    status, said = export("moodle")
    assert status == 0 and "Made without a sheet" in said
    moodle = moodle_assignment()
    moodle.people["2001"] |= {"grade": 1.0, "modified": datetime.datetime(2026, 11, 3)}
    moodle.take(Path("results/encoder-layer/export/moodle.csv").read_bytes())
    assert [who.get("grade") for who in moodle.people.values()] == [10.0, 1.0, None, None]


def test_grades_that_are_there_and_locked_rows_are_left_and_named(export):
    moodle = moodle_assignment()
    moodle.people["2000"] |= {"changeable": "No", "comment": "Locked."}
    moodle.people["2002"] |= {"grade": 6.0}
    Path("sheet.csv").write_bytes(moodle.worksheet())
    _, said = export("moodle", "--sheet", "sheet.csv")
    assert f"Left as the sheet has it: {ADA} (locked in Moodle), {CLEO} (6.00)." in said
    moodle.take(Path("results/encoder-layer/export/moodle.csv").read_bytes())
    assert [who.get("grade") for who in moodle.people.values()] == [None, 7.5, 6.0, None]
    assert moodle.people["2000"]["comment"] == "Locked."


def test_grades_above_moodles_maximum_are_named(export):
    enter({ADA: 10.0, BEN: 7.5}, by_hand={ADA: 4.0}, penalty={})
    Path("sheet.csv").write_bytes(moodle_assignment().worksheet())
    _, said = export("moodle", "--sheet", "sheet.csv")
    assert f"Moodle passes over grades above its maximum: {ADA}." in said
    assert "is out of 10 points on the platform, these grades are out of 14" in said


def test_a_persons_words_stay_around_our_comment():
    grade = Grade(Person(BEN), verdict(BEN, 7.5))
    once = merged("<p>See me.</p>", grade)
    assert once.startswith("<p>See me.</p>\n") and UNSCALED.sentence in once
    better = Grade(Person(BEN), verdict(BEN, 10.0))
    again = merged(once + "\nMy office is open.", better)
    assert again.startswith("<p>See me.</p>\n") and again.endswith("\nMy office is open.")
    assert UNSCALED.sentence not in again and again.count("total:") == 1


def test_our_page_runs_nothing_of_a_students():
    grade = Grade(
        Person(CLEO, "<script>alert(1)</script>"),
        verdict(CLEO, 0, "unreadable", reason="`<img onerror=x>` is no notebook."),
    )
    assert "<script" not in page(grade) and "<img" not in page(grade)


# Gradescope


def test_gradescope_reads_each_results_json(export):
    enter({ADA: 10.0, BEN: 7.5}, by_hand={BEN: 3.0}, penalty={BEN: 1.0})
    enroll("gradescope", {ADA: "555", BEN: "../up"})
    assert export("gradescope")[0] == 0
    with zipfile.ZipFile("results/encoder-layer/export/gradescope.zip") as archive:
        found = {name: json.loads(archive.read(name)) for name in archive.namelist()}
    assert set(found) == {"555/results.json", f"{BEN}/results.json"}
    ben = found[f"{BEN}/results.json"]
    assert ben["score"] == 9.5 and sum(test["max_score"] for test in ben["tests"]) == 14
    assert "late: 1 points less" in ben["output"]
    failed = next(test for test in ben["tests"] if test.get("status") == "failed")
    assert failed["name"] == "attention: values" and failed["output_format"] == "text"
    assert failed["output"] == f"By which number?\n{UNSCALED.sentence}"
    assert {test["visibility"] for test in ben["tests"]} == {"after_published"}


# bad input, and places


def wrong(export, *words: str) -> str:
    status, said = export(*words)
    assert status == 2 and said.count("\n") == 1, said
    assert not Path("results/encoder-layer/export").exists()
    return said


def test_results_that_are_not_there_are_wrong_usage(place, capfd):
    Path("empty").mkdir()
    for folder, sentence in (
        ("nowhere", "There is no folder"),
        ("empty", "No verdicts are in"),
        ("results/encoder-layer", "did you mean `results`?"),
    ):
        assert main(["export", folder, "--format", "csv"]) == 2
        said = capfd.readouterr().err
        assert sentence in said and said.count("\n") == 1


def test_several_assignments_are_asked_about(export):
    keep(dataclasses.replace(verdict(ADA, 10.0), assignment="layer-norm"))
    assert "one of encoder-layer, layer-norm" in wrong(export, "csv")
    assert "No verdicts of `decoder`" in wrong(export, "csv", "--assignment", "decoder")
    assert export("csv", "--assignment", "layer-norm")[0] == 0
    assert Path("results/layer-norm/export/students.csv").exists()


def test_a_damaged_verdict_is_named_and_the_others_go_on(export):
    Path("results", "encoder-layer", f"{BEN}.json").write_text('{"schema": 1')
    Path("results", "encoder-layer", f"{DAN}.json").write_text(
        json.dumps(verdict(ADA, 7.0).to_json())
    )
    status, said = export("csv")
    assert status == 3 and set(by_student()) == {ADA, CLEO}
    assert f"{BEN}.json` is no verdict" in said and f"is the verdict on {ADA}'s" in said


def test_sheets_that_do_not_fit_are_refused_in_a_sentence(export):
    Path("moodle.csv").write_bytes(moodle_assignment().worksheet())
    Path("canvas.csv").write_bytes(canvas_course().export())
    assert "no gradebook from Canvas" in wrong(export, "canvas", "--sheet", "moodle.csv")
    assert "there is no column `Grade` or `Bewertung`" in wrong(
        export, "moodle", "--sheet", "canvas.csv"
    )
    assert "There is no sheet" in wrong(export, "moodle", "--sheet", "nowhere.csv")
    assert "--sheet is for" in wrong(export, "csv", "--sheet", "moodle.csv")
    assert "--column is for" in wrong(export, "moodle", "--column", "x")
    for content, sentence in (
        (b"PK\x03\x04", "is no CSV"),
        (b"Identifier,Grade\n\xff\xfe,1\n", "is not UTF-8"),
        (moodle_assignment().worksheet()[:-20], "is damaged"),
        (b"Identifier\n", "has no rows"),
        (b"", "has no rows"),
    ):
        Path("bad.csv").write_bytes(content)
        assert sentence in wrong(export, "moodle", "--sheet", "bad.csv")


def test_a_sheet_of_other_students_or_with_rows_twice_is_refused(export):
    moodle = moodle_assignment()
    moodle.people = {"1": {"name": "Zoe Head", "email": "zoe@uni.example"}}
    Path("sheet.csv").write_bytes(moodle.worksheet())
    assert "is of other students" in wrong(export, "moodle", "--sheet", "sheet.csv")
    content = canvas_course().export()
    Path("sheet.csv").write_bytes(content + content.splitlines(keepends=True)[3])
    assert "several rows with the ID `101`" in wrong(export, "canvas", "--sheet", "sheet.csv")


def test_moodle_without_any_number_asks_for_the_sheet(export):
    assert "give --sheet" in wrong(export, "moodle")


def test_a_course_or_gradebook_that_is_none_is_wrong_usage(export):
    assert "is no nbgrader course" in wrong(export, "csv", "--course", "results")
    assert "There is no gradebook" in wrong(export, "csv", "--gradebook", "sqlite:///nowhere.db")
    assert "is no URL of a database" in wrong(export, "csv", "--gradebook", "nowhere.db")


def test_nothing_but_an_earlier_export_is_replaced(export):
    sheet = canvas_course().export()
    Path("sheet.csv").write_bytes(sheet)
    assert "is what you downloaded" in wrong(
        export, "canvas", "--sheet", "sheet.csv", "--out", "sheet.csv"
    )
    assert Path("sheet.csv").read_bytes() == sheet
    Path("thesis.csv").write_text("chapter,pages\n1,20\n")
    assert "no earlier export" in wrong(export, "csv", "--out", "thesis.csv")
    assert "makes a .csv file" in wrong(export, "csv", "--out", f"results/encoder-layer/{ADA}.json")
    for _ in range(2):
        assert export("csv", "--out", "mine.csv")[0] == 0
    assert {path.name for path in Path().glob("mine*")} == {"mine.csv", "mine-checks.csv"}


def test_an_export_again_is_the_same_to_the_byte(export):
    Path("sheet.csv").write_bytes(moodle_assignment().worksheet())
    seen = []
    for _ in range(2):
        export("moodle", "--sheet", "sheet.csv")
        folder = Path("results/encoder-layer/export")
        seen.append({path.name: path.read_bytes() for path in folder.iterdir()})
    assert seen[0] == seen[1] and set(seen[0]) == {"moodle.csv", "moodle-feedback.zip"}


def test_a_place_that_cannot_be_written_is_said(export):
    Path("file").write_text("x")
    status, said = export("csv", "--out", "file/here")
    assert status == 1 and said.count("\n") == 1 and "file/here" in said


def test_exports_are_no_verdicts(export):
    for kind in ("csv", "canvas", "gradescope"):
        export(kind)
    assert len(list(Path("results/encoder-layer").glob("*.json"))) == 3
    assert export("csv")[0] == 0


# the rest


def test_a_roster_that_is_none_is_said(export):
    path = roster_path(Path("submitted"), "encoder-layer")
    path.parent.mkdir(parents=True)
    path.write_text("who,what\nx,y\n")
    assert "has no column `student`" in wrong(export, "canvas")


@pytest.mark.parametrize(
    ("points", "text"),
    [(17.5, "17.5"), (20.0, "20"), (0.0, "0"), (100.0, "100"), (1 / 3, "0.33333")],
)
def test_points_are_written_as_people_write_them(points, text):
    assert written(points) == text and written(points, comma=True) == text.replace(".", ",")


def test_the_tables_headers_name_each_column_once():
    assert len(set(STUDENTS)) == len(STUDENTS) and len(set(CHECKS)) == len(CHECKS)


def test_an_export_needs_no_torch():
    code = "import sys, autograder.platforms.export; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0
