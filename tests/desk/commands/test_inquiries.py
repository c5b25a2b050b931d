"""`inquiries` from the command line: what is taken in, who decides, and what an answer changes."""

import io
import sys
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from exports import keep_earlier
from inquired import (
    RESULTS,
    SHEET,
    add,
    answer,
    configure,
    earlier,
    fill,
    mark_by,
    recorded,
)
from msgspec.structs import replace
from recorded import plant_roster
from typed_commands import refused, typed
from written_answers import Book, graded

from autograder import read_verdict, write_verdict
from autograder.classroom.records import add_records, read_records
from autograder.classroom.roster import Person
from autograder.desk.inquiries import answering
from autograder.engine.texts import time_text
from autograder.gradebook.inquiries import Inquiry

pytestmark = pytest.mark.database
WINDOW = f'c.Inquiries.opens = {{"{SHEET}": "2026-12-01 12:00"}}\n'
WINDOW += f'c.Inquiries.closes = {{"{SHEET}": "2026-12-08 18:00"}}\n'
HOSTILE = "\x1b[31m<script>canary()</script>\u202e =1+1"


@pytest.fixture(autouse=True)
def book(empty_book, monkeypatch) -> Book:
    """A course in this folder with ada and ben, whose answers are marked or wait."""
    monkeypatch.chdir(empty_book.assignment.course.root)
    fill(empty_book)
    return empty_book


def page(who: str = "all") -> str:
    return (RESULTS / SHEET / "inquiries" / f"decide-{who}.html").read_text()


def test_a_tables_rows_are_recorded_once_and_refused_ones_are_named(tmp_path):
    table = tmp_path / "inquiries.csv"
    table.write_text(
        "student,assignment,exercise,text,received\n"
        f"ada,{SHEET},explain,Why so few?,2026-12-02 10:00\n"
        f"ada,{SHEET},explain,And why that?,2026-12-02 10:00\n"
        f"adda,{SHEET},explain,Why?,2026-12-02 10:00\n"
        f"ben,{SHEET},nothing,Why?,2026-12-02 10:00\n"
        f"ben,other,explain,Why?,2026-12-02 10:00\n"
        f"ben,{SHEET},explain,,2026-12-02 10:00\n"
        f"ben,{SHEET},explain,Why?,soon\n"
        f"BEN,{SHEET},softmax,'=1+1,2026-12-02 10:00\n"
    )
    status, said = typed("inquiries", "add", table)
    assert status == 1 and "2 inquiries recorded." in said
    assert {name: one.text for name, one in recorded().items()} == {
        ("ada", "explain"): "Why so few?",
        ("ben", "softmax"): "=1+1",
    }
    for line, why in {
        3: "has asked about `explain` already",
        4: "Did you mean ada?",
        5: "It has: rms_norm, softmax, prediction, explain.",
        6: "There is no assignment `other`",
        7: "it needs 1 to 4000",
        8: "`soon` is no time like",
    }.items():
        (found,) = (one for one in said.splitlines() if f"line {line}: " in one)
        assert why in found
    assert "0 inquiries recorded; 2 recorded before." in typed("inquiries", "add", table)[1]


def test_the_text_of_an_lms_comes_from_standard_input(monkeypatch):
    typed_in = io.TextIOWrapper(io.BytesIO("Größer?\nJa.\n".encode()))
    monkeypatch.setattr(sys, "stdin", typed_in)
    assert add("ada", "explain", "-")[0] == 0
    assert recorded()["ada", "explain"].text == "Größer?\nJa."


@pytest.mark.parametrize(
    ("received", "taken"),
    [
        ("2026-12-01 11:59", False),
        ("2026-12-01 12:00", True),
        ("2026-12-08 17:59", True),
        ("2026-12-08 18:00", False),
        ("2026-12-08 17:59-02:00", False),
    ],
)
def test_outside_the_window_it_is_refused_unless_staff_take_it(received, taken):
    configure(WINDOW)
    status, said = add("ada", "explain", "Why?", "--received", received)
    assert (status == 0) == taken == bool(recorded())
    if not taken:
        assert said.count("\n") == 1 and "until 2026-12-08 18:00 UTC" in said
        assert add("ada", "explain", "Why?", "--received", received, "--at-any-time")[0] == 0
        assert recorded()


def test_nobody_decides_what_they_marked_and_each_is_decided_by_one(book):
    for student in ("ada", "ben"):
        for exercise in ("explain", "softmax", "rms_norm"):
            assert add(student, exercise)[0] == 0
    mark_by("lee", "ben", "softmax")
    _, kims = typed("inquiries", "list", "--for", "kim")
    _, lees = typed("inquiries", "list", "--for", "Lee")
    assert "ada, explain," in lees and "ada, explain," not in kims
    assert "ben, softmax," in kims and "ben, softmax," not in lees
    assert kims.count("received on") + lees.count("received on") == 6
    assert 2 <= kims.count("received on") <= 4
    mark_by("Lee", "ada", "explain")
    _, said = typed("inquiries", "list")
    assert "6 inquiries, 6 open." in said
    (line,) = (one for one in said.splitlines() if "ada, explain," in one)
    assert "for nobody: add a name to c.Marking.markers" in line


def test_the_page_has_the_words_the_answer_the_marks_and_all_verdicts(book):
    keep_earlier(earlier("ada"))
    book.mark("ben", 2.0)
    assert (
        add("ada", "explain", HOSTILE)[0]
        == add("ada", "softmax")[0]
        == add("ben", "explain")[0]
        == 0
    )
    status, said = typed("inquiries", "list")
    assert status == 0 and "\x1b" not in said
    shown = page()
    assert "&lt;script&gt;canary()" in shown and "\\x1b[31m" in shown and "\u202e" not in shown
    assert "ada says so." in shown and "1 of 2 points, by a person" in shown
    assert "Which root?" in shown and "One point for the root" in shown
    of_softmax = shown[shown.index('id="softmax"') : shown.index('id="explain"')]
    assert "2 of 2 points, by the checks" not in of_softmax  # the gradebook has 1
    assert "1 of 2 points, by the checks" in of_softmax and "softmax: 0.5 of 2." in of_softmax
    assert shown.count("nobody knows by whom") == 1, (
        "Kim has marked ada's, and who ben's is not known"
    )


def test_an_answer_keeps_or_changes_points_and_stays_on_record(book):
    assert add("ada", "explain")[0] == add("ben", "softmax")[0] == 0
    status, said = answer("ada", "explain", "kim", "--kept")
    assert status == 2 and "somebody else" in said
    assert answer("ada", "explain", "lee", "--points", 1.5)[0] == 0
    assert book.given("ada")[0] == 1.5 and not book.waits("ada")
    one = recorded()["ada", "explain"].answer
    assert one is not None and (one.old_points, one.new_points, one.max_points) == (1.0, 1.5, 2.0)
    stamp = read_verdict(RESULTS / SHEET / "ada.json").stamp
    assert (one.by, one.reason, one.stamp) == ("Lee", "So be it.", stamp)

    assert answer("ben", "softmax", "Kim", "--kept")[0] == 0
    assert book.given("ben", "check_softmax")[0] is None
    before = read_records(RESULTS, SHEET, Inquiry)
    assert answer("ben", "softmax", "Kim", "--kept")[0] == 0
    assert read_records(RESULTS, SHEET, Inquiry) == before, "the same again changes nothing"
    status, said = answer("ben", "softmax", "Lee", "--points", 2)
    assert (
        status == 2 and "an answer stays" in said and book.given("ben", "check_softmax")[0] is None
    )

    _, kims = typed("inquiries", "list", "--for", "Kim")
    assert "of what Kim marked: ada, explain: changed from 1 to 1.5" in kims
    assert "Answered" in page("Kim") and "changed from 1 to 1.5" in page("Kim")
    assert "changed from" not in typed("inquiries", "list", "--for", "Lee")[1]


def test_automatic_points_are_changed_as_formgrader_does_and_outlive_a_regrade(book):
    assert add("ben", "softmax")[0] == 0 == answer("ben", "softmax", "Lee", "--points", 2)[0]
    assert book.given("ben", "check_softmax")[0] == 2.0
    before = recorded()
    book.enter(ben=graded(book.assignment, "ben says so.", points=0.0))
    assert book.given("ben", "check_softmax")[0] == 2.0 and book.waits("ben", "check_softmax")
    assert recorded() == before


@pytest.mark.parametrize("points", ["-1", "2.5", "nan", "inf"])
def test_points_that_there_cannot_be_are_refused(book, points):
    add("ada", "explain")
    status, said = answer("ada", "explain", "Lee", "--points", points)
    assert status == 2 and "from 0 to 2" in said
    assert book.given("ada")[0] == 1.0 and recorded()["ada", "explain"].decision is None


def test_extra_credit_is_among_the_points(book):
    add("ada", "explain")
    book.mark("ada", 1.0, extra=0.5)
    assert answer("ada", "explain", "Lee", "--points", 2.5)[0] == 0
    assert book.given("ada")[:2] == (2.0, 0.5)
    assert recorded()["ada", "explain"].answer.old_points == 1.5


def test_a_student_is_called_by_name_in_an_answer_as_well():
    plant_roster(Path("submitted"), SHEET, [Person("ada", "Ada Softmax")])
    assert add("Ada Softmax", "explain")[0] == 0
    status, said = answer("Softmax, Ada", "explain", "Lee", "--kept")
    assert status == 0 and said.startswith("ada, explain: ")
    assert "No student is called" in answer("Nobody Inparticular", "explain", "Lee", "--kept")[1]


def test_an_inquiry_stays_with_its_decider_when_others_come():
    assert add("ada", "softmax")[0] == 0
    _, before = typed("inquiries", "list")
    (line,) = (one for one in before.splitlines() if "ada, softmax," in one)
    for student in ("ada", "ben"):
        for exercise in ("rms_norm", "prediction"):
            assert add(student, exercise)[0] == 0
            assert line in typed("inquiries", "list")[1].splitlines()


def test_what_nobody_has_marked_gets_points_and_is_not_kept(book):
    add("ben", "explain")
    status, said = answer("ben", "explain", "Lee", "--kept")
    assert status == 2 and "say --points" in said
    assert answer("ben", "explain", "Lee", "--points", 0)[0] == 0
    assert book.given("ben")[0] == 0.0 and not book.waits("ben")


@pytest.mark.parametrize("place", ["_write", "record_inquiry"])
@pytest.mark.parametrize("then", ["the same", "kept"])
def test_after_an_interruption_it_ends_well(book, monkeypatch, place, then):
    add("ada", "explain")
    done = getattr(answering, place)
    left = [place == "record_inquiry"]  # of the two lines, the second one is not reached

    def interrupt(*arguments):
        if left and left.pop():
            return done(*arguments)
        raise KeyboardInterrupt

    monkeypatch.setattr(answering, place, interrupt)
    assert answer("ada", "explain", "Lee", "--points", 1.5)[0] == 130
    assert book.given("ada")[0] == (1.0 if place == "_write" else 1.5)
    assert "1 open" in typed("inquiries", "list")[1]
    monkeypatch.setattr(answering, place, done)
    words = ["--points", 1.5] if then == "the same" else ["--kept"]
    assert answer("ada", "explain", "Lee", *words)[0] == 0
    one = recorded()["ada", "explain"].answer
    assert one.old_points == 1.0 and one.new_points == book.given("ada")[0]
    assert one.new_points == (1.5 if then == "the same" else 1.0)


def test_a_mark_that_somebody_changes_meanwhile_is_not_overwritten(book, monkeypatch):
    add("ada", "explain")
    read = answering.AnswerMarks

    def then_mark(*arguments):
        marks = read(*arguments)
        arguments[0].rollback()
        book.mark("ada", 2.0)
        return marks

    monkeypatch.setattr(answering, "AnswerMarks", then_mark)
    status, said = answer("ada", "explain", "Lee", "--points", 1.5)
    assert status == 1 and "look again" in said and book.given("ada")[0] == 2.0
    assert recorded()["ada", "explain"].answer is None


@pytest.mark.parametrize("words", [["--kept"], ["--points", 0.5]])
def test_of_two_who_answer_at_once_one_is_told_to_type_it_again(book, monkeypatch, words):
    configure('c.Marking.markers = ["Kim", "Lee", "Mo"]\n')
    assert add("ada", "explain")[0] == add("ada", "softmax")[0] == 0
    read, others = answering.AnswerMarks, []

    def as_another_types(*arguments):
        marks = read(*arguments)
        if not others:
            others.append(answer("ada", "explain", "Mo", "--points", 2))
        return marks

    monkeypatch.setattr(answering, "AnswerMarks", as_another_types)
    assert answer("ada", "explain", "Lee", *words)[0] == 0
    ((status, said),) = others
    assert status == 2 and "just now: type this again" in said and said.count("\n") == 1
    points = 1.0 if words == ["--kept"] else 0.5
    one = recorded()["ada", "explain"].answer
    assert (one.by, one.new_points, book.given("ada")[0]) == ("Lee", points, points)
    status, said = answer("ada", "explain", "Mo", "--points", 2)
    assert status == 2 and "Lee has answered that" in said
    assert answer("ada", "softmax", "Mo", "--kept")[0] == 0


def test_times_are_in_the_zone_of_the_course():
    configure('c.LatePolicy.timezone = "Europe/Berlin"\n')
    assert add("ada", "explain", "Why?", "--received", "2026-12-01 18:00")[0] == 0
    assert "on 2026-12-01 18:00 CET: it is one" in add("ada", "explain", "And?")[1]
    assert "received on 2026-12-01 18:00 CET" in typed("inquiries", "list")[1]
    assert "received on 2026-12-01 18:00 CET" in page()
    _, said = answer("ada", "explain", "Lee", "--kept")
    when = time_text(recorded()["ada", "explain"].answer.at, ZoneInfo("Europe/Berlin"))
    assert f" by Lee on {when}: So be it." in said
    assert f"Lee has answered that on {when}" in answer("ada", "explain", "Lee", "--points", 2)[1]
    shown = typed("inquiries", "list", "--for", "Kim")[1], typed("show", "ada")[1], page("Kim")
    assert all(f"by Lee on {when}" in " ".join(one.split()) for one in shown)


def test_without_markers_anybody_answers_but_a_name_is_needed(book):
    configure("c.Marking.markers = []\n")
    add("ada", "explain")
    assert "nobody: add a name" in typed("inquiries", "list")[1]
    assert answer("ada", "explain", " ", "--kept")[0] == 2
    assert answer("ada", "explain", "KIM", "--kept")[0] == 2
    assert answer("ada", "explain", "Prof. X", "--kept")[0] == 0


def test_the_students_next_page_and_show_tell_and_only_that_page_is_made_again(book):
    configure(WINDOW + 'c.Inquiries.address = "https://example.org/ask?a=1&b=2"\n')
    assert "2 pages made" in typed("feedback")[1]
    shown = Path("feedback", "ada", SHEET, f"{SHEET}.html").read_text()
    assert "from 2026-12-01 12:00 UTC until 2026-12-08 18:00 UTC" in shown
    assert 'href="https://example.org/ask?a=1&amp;b=2"' in shown
    assert "<code>explain</code>" in shown and "<code>softmax</code>" in shown
    add("ada", "explain", HOSTILE, "--at-any-time")
    assert "1 page made" in typed("feedback")[1]
    shown = Path("feedback", "ada", SHEET, f"{SHEET}.html").read_text()
    assert "&lt;script&gt;canary()" in shown and "not answered yet" in shown
    assert "\x1b" not in shown and "\u202e" not in shown
    assert answer("ada", "explain", "Lee", "--points", 1.5)[0] == 0
    assert "1 page made" in typed("feedback")[1]
    shown = Path("feedback", "ada", SHEET, f"{SHEET}.html").read_text()
    assert "Changed from 1 to 1.5 of 2 points." in shown and "So be it." in shown
    assert "Lee" not in shown and "Kim" not in shown
    _, said = typed("show", "ada")
    words = " ".join(said.split())
    assert "changed from 1 to 1.5 of 2 points by Lee" in words and "So be it." in words
    assert "Asked about explain" in words and "\x1b" not in said
    configure('c.Inquiries.closes = {"small-sheet": "2026-12-09 18:00"}\n')
    assert "2 pages made" in typed("feedback")[1]


def test_the_record_outlives_a_changed_scheme(book):
    add("ada", "explain")
    answer("ada", "explain", "Lee", "--kept")
    records = read_records(RESULTS, SHEET, Inquiry)
    Path("records.db").unlink()
    add_records(RESULTS, SHEET, [replace(one, exercise="old_part") for one in records])
    typed("feedback")
    shown = Path("feedback", "ada", SHEET, f"{SHEET}.html").read_text()
    assert "<h3>old part</h3>" in shown and "Kept at 1 of 2 points." in shown
    assert "old part" in typed("show", "ada")[1]


def test_the_report_has_what_is_open_on_top_and_counts(book):
    for student, exercise in (("ada", "explain"), ("ben", "explain"), ("ben", "softmax")):
        add(student, exercise)
    answer("ada", "explain", "Lee", "--points", 2)
    answer("ben", "softmax", "Lee", "--kept")
    status, _ = typed("report", "results", "--out", "report.html", "--csv", "numbers")
    assert status == 0
    text = Path("report.html").read_text()
    assert "1 with an open inquiry" in text[: text.index("<h3")]
    assert "3 inquiries, 2 of them answered: 1 changed the points." in text
    rows = Path("numbers", f"{SHEET}-inquiries.csv").read_text().splitlines()
    assert rows[1:4] == ["all,,3,2,1", "exercise,explain,2,1,1", "exercise,softmax,1,1,0"]
    assert rows[4] == "marker,Kim,1,1,1" and rows[5].endswith(",2,1,0")


def test_settings_that_cannot_be_used_are_said_before_pages_are_made():
    configure('c.Inquiries.close = {"small-sheet": "2026-12-08"}\n')
    assert "has no setting `close`" in refused("feedback")
    assert "has no setting `close`" in add("ada", "explain")[1]


def test_of_a_student_without_points_there_is_an_answer_too(book):
    old = read_verdict(RESULTS / SHEET / "ada.json")
    write_verdict(RESULTS / SHEET / "cleo.json", replace(old, student="cleo"))
    assert add("cleo", "explain")[0] == 0
    assert "cleo, explain" in typed("inquiries", "list")[1]
    assert "not in the gradebook" in typed("inquiries", "list")[1]
    status, said = answer("cleo", "explain", "Lee", "--points", 1)
    assert status == 1 and "enter it first" in said
    assert answer("cleo", "explain", "Lee", "--kept")[0] == 0


def team(name: str, *students: str) -> None:
    """Write that these students are a team, and the others alone."""
    lines = [f"{student},{name}" for student in students]
    Path("groups.csv").write_text("\n".join(["student,group", *lines, ""]))


def enter_team(book: Book, name: str, text: str, *students: str) -> None:
    team(name, *students)
    book.owners |= dict.fromkeys(students, name)
    book.enter(**dict.fromkeys((name, *students), graded(book.assignment, text)))


def test_an_answer_that_was_replaced_keeps_its_inquiry_and_the_present_one_its_points(book):
    assert add("ada", "explain")[0] == 0
    book.enter(ada=graded(book.assignment, "A better root."))
    assert "an answer that has been replaced since" in typed("inquiries", "list")[1]
    assert "ada says so." in page() and "A better root." not in page()
    assert answer("ada", "explain", "Lee", "--points", 1.5)[0] == 0
    assert book.given("ada")[0] is None and book.waits("ada"), "nobody has marked the present one"
    assert recorded()["ada", "explain"].answer.old_points == 1.0
    assert typed("feedback")[0] in (0, 1)
    shown = Path("feedback", "ada", SHEET, f"{SHEET}.html").read_text()
    assert "Changed from 1 to 1.5 of 2 points." in shown
    assert "an answer that has been replaced since" in shown
    book.enter(ada=graded(book.assignment, "ada says so."))
    assert book.given("ada")[0] == 1.5 and not book.waits("ada")


def test_an_answer_that_nobody_had_marked_is_decided_after_it_was_replaced(book):
    code = graded(book.assignment, "ben says so.", softmax="mine = 1")
    book.enter(ben=code)
    assert add("ben", "softmax")[0] == 0
    book.enter(ben=graded(book.assignment, "ben says so.", 0.0, softmax="mine = 2"))
    assert answer("ben", "softmax", "Lee", "--points", 1.5)[0] == 0
    assert book.given("ben", "check_softmax")[0] is None
    assert recorded()["ben", "softmax"].answer.old_points == 1.0
    book.enter(ben=code)
    assert book.given("ben", "check_softmax")[0] == 1.5


def test_an_inquiry_stays_with_the_team_whose_answer_it_was(book):
    """The student moves to another team before it is decided."""
    enter_team(book, "beta", "Of beta.", "ben", "cleo")
    book.mark("beta", 1.0)
    assert typed("marking", "list")[0] == 0
    assert add("ben", "explain")[0] == 0
    enter_team(book, "alpha", "Of alpha.", "ada", "ben")
    book.mark("alpha", 0.5)
    with Path("groups.csv").open("a") as file:
        file.write("cleo,beta\n")
    assert typed("inquiries", "list")[0] == 0
    assert "Of beta." in page() and "Of alpha." not in page()
    assert answer("ben", "explain", "Lee", "--points", 2)[0] == 0
    assert typed("marking", "list")[0] == 0
    assert [book.given(one)[0] for one in ("beta", "cleo")] == [2.0, 2.0]
    assert [book.given(one)[0] for one in ("alpha", "ada", "ben")] == [0.5, 0.5, 0.5]
    assert "Changed from" not in typed("show", "ada")[1] and "Asked" not in typed("show", "ada")[1]
    assert "by another member" in " ".join(typed("show", "cleo")[1].split())
    assert typed("feedback")[0] in (0, 1)
    pages = {
        who: Path("feedback", who, SHEET, f"{SHEET}.html").read_text() for who in ("ada", "ben")
    }
    assert "has been replaced since" in pages["ben"] and "Changed from" not in pages["ada"]
