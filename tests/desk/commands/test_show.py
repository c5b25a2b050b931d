"""`show` from the command line: one student, all that is known, at 80 columns."""

import shutil
from datetime import datetime
from pathlib import Path

import pytest
from downloads import BOOK, MOODLE, entry
from exports import (
    ADA,
    BEN,
    CLEO,
    DAN,
    ID,
    enroll,
    enter,
    keep,
    keep_earlier,
    receive_without_place,
    verdict,
)
from feedback_pages import OLD, result
from feedback_pages import verdict as small_verdict
from msgspec.structs import replace
from nbgrader.api import Gradebook
from recorded import plant_roster, plant_submission
from typed_commands import refused, typed
from written_answers import graded

from autograder import NamedMistake
from autograder.classroom.roster import Person
from autograder.engine import RunSettings
from autograder.engine.courses import make_course
from autograder.engine.notebooks import read_submission

BERLIN = '\nc.LatePolicy.timezone = "Europe/Berlin"\n'
pytestmark = [pytest.mark.usefixtures("class_folder"), pytest.mark.slow]


def shown(student: str, *words: str) -> str:
    """What is printed of a student."""
    status, printed = typed("show", student, *words)
    assert status == 0, printed
    return printed


def test_exercises_have_points_and_the_sentence_of_the_mistake():
    printed = shown(BEN)
    assert "sheet-3: 7.5 of 10 points by automatic checks" in printed
    assert "3.5 / 6  The scores are not divided by `sqrt(d_k)`." in printed
    assert max(map(len, printed.splitlines())) <= 80


def test_what_a_person_gave_and_a_penalty_come_from_the_gradebook():
    enter({ADA: 10.0, BEN: 7.5, "../outside": 1.0}, {BEN: 3.0}, {BEN: 1.0})
    printed = shown(BEN)
    assert "sheet-3: 9.5 of 14 points\n" in printed and "Late, 1 point" in printed
    assert "3 / 4  Marked by hand." in printed
    assert "1 still to be marked by hand" in shown(ADA)
    assert "7.5 of 10 points by automatic checks" in shown(BEN, "--no-gradebook")
    Path("results/outside.json").write_text(Path(f"results/sheet-3/{BEN}.json").read_text())
    assert typed("show", "../outside")[0] == 2, "an id leads to no file elsewhere"


def test_a_penalty_is_said_with_its_calculation():
    enter({BEN: 7.5}, {}, {BEN: 1.4})
    with Gradebook("sqlite:///gradebook.db") as book:
        book.find_assignment(ID).duedate = datetime(2026, 11, 1, 12)
        book.db.commit()
    with Path("nbgrader_config.py").open("a") as config:
        config.write("c.LatePolicy.percent_per_day = 10\n")
    printed = " ".join(shown(BEN).split())
    assert "Late, 1.4 points less. " in printed and "10 %" in printed, printed


def test_times_are_in_the_zone_of_the_course():
    enter({BEN: 7.5}, {}, {})
    with Path("nbgrader_config.py").open("a") as config:
        config.write(BERLIN)
    assert "Handed in on 2026-11-02 10:30 CET." in shown(BEN)


def test_a_gradebook_that_holds_another_verdict_is_not_believed():
    enter({BEN: 2.0}, {}, {})
    assert "7.5 of 10 points by automatic checks" in shown(BEN)


def test_unreadable_and_nothing_are_said():
    enroll("moodle", {DAN: "7", CLEO: "8"})
    assert "sheet-3: unreadable" in shown(CLEO) and "its JSON is damaged." in shown(CLEO)
    assert "sheet-3: nothing handed in" in shown(DAN)
    Path("submitted", DAN, "sheet-3").mkdir(parents=True)
    assert "handed in and not graded yet" in shown(DAN)
    shutil.rmtree(Path("submitted", DAN))
    receive_without_place(Person("", "Dan Token", f"{DAN}@uni.example", "moodle", "7"))
    printed = " ".join(shown(DAN).split())
    assert "sheet-3: received, unmatched" in printed and "nothing handed in" not in printed
    assert "Two notebooks, and none has the right name. `collect --resolve` places it." in printed


@pytest.mark.parametrize("called", ["ben query", "Query, Bén", f"{BEN}@UNI.example", BEN.upper()])
def test_a_student_is_found_by_name_and_address(called):
    enroll("moodle", {BEN: "7"})
    assert f"{BEN}: Ben Query, {BEN}@uni.example" in shown(called)


def test_whoever_is_on_the_roster_that_collect_was_given_is_known():
    plant_roster(Path("submitted"), ID, [Person("pia-value", "Pia Value")])
    assert "sheet-3: nothing handed in" in shown("Value, Pia")


def test_why_something_is_no_grade_and_notes_for_staff_are_said(class_folder):
    old = small_verdict(result("rms_norm", 4.0, 4.0), result("softmax", 0.0, 2.0, mistakes=[OLD]))
    keep_earlier(replace(old, stamp=replace(old.stamp, submission="old")))
    keep(small_verdict())
    printed = " ".join(shown("ada").split())
    for sentence in (
        "small-sheet: 4.5 of 7 points by automatic checks",
        "rms norm 2.5 / 4 `eps` is <added> behind the root.",
        "Fixed since an earlier submission: The softmax ran over the other axis.",
        "prediction 0 / 1 Not attempted.",
        "Repaired: The cell `softmax` had lost its id.",
        "For staff only: `rms_norm` reaches beyond its exercise.",
    ):
        assert sentence in printed, printed
    keep(replace(small_verdict(), state="not_graded", exercises=[], reason="it is odd."))
    assert "Not graded yet: it is odd." in shown("ada")


def test_what_a_person_changed_counts_and_is_said(empty_book, monkeypatch):
    monkeypatch.chdir(empty_book.assignment.course.root)
    notebook = graded(empty_book.assignment, "Because.")
    points = {f"check_{one.id}": one.points for one in small_verdict().exercises}
    for cell in notebook.cells:
        if cell.id in points:
            cell.outputs[0].data["text/plain"] = repr(points[cell.id])
    keep(small_verdict())
    empty_book.enter(ada=notebook)
    empty_book.mark("ada", 4.0, "check_rms_norm", comment="A slip.\n" + "x " * 400)
    empty_book.mark("ada", None, "check_softmax", extra=0.5)
    printed = shown("ada")
    assert max(map(len, printed.splitlines())) <= 80
    printed = " ".join(printed.split())
    assert "small-sheet: 6.5 of 9 points, 1 still to be marked by hand" in printed
    assert "The checks gave 2.5; a person changed that. Comment: A slip. x x" in printed
    assert printed.count("x x") < 200 and "softmax 2.5 / 2" in printed  # with extra credit
    assert "explain – Still to be marked by hand." in printed


def test_what_a_student_wrote_is_printed_and_not_obeyed():
    bad = "\x1b]0;x\x07[bold]`x`\u202e"
    changed = verdict(BEN, 7.5)
    results = [replace(one, mistakes=[NamedMistake("x", bad)]) for one in changed.exercises]
    keep(replace(changed, exercises=results, repairs=[bad], notes=[bad]))
    printed = shown(BEN)
    assert "\x1b" not in printed and "\u202e" not in printed and "[bold]" in printed
    assert "\x1b" not in refused("show", "\x1b[31mx")


def test_a_student_is_found_by_the_rosters_address_where_the_platform_has_none(small):
    Path("roster.csv").write_text("student,name,email\nada,Ada Softmax,ada@uni.example\n")
    place = Path("download", "ada@uni.example", "small-sheet.ipynb")
    place.parent.mkdir(parents=True)
    place.write_bytes(small.release.read_bytes())
    words = ["--roster", "roster.csv", "--into", "submitted", "--platform", "folder"]
    words += ["--assignment", small.id, "--course", small.course.root]
    assert typed("collect", "download", *words)[0] == 0
    keep(replace(small_verdict(), student="ada"))
    assert "ada: Ada Softmax, ada@uni.example" in shown("ADA@uni.example")


def test_earlier_hand_ins_are_listed_with_their_points(collect, small):
    student = "ada-softmax-1234567"
    open, before, now, without_verdict = (
        small.release.read_bytes().replace(b"YOUR ANSWER HERE", text)
        for text in (b"Not yet.", b"It is added.", b"It is divided.", b"Lost.")
    )
    for day, data in ((9, open), (10, b"no notebook"), (11, before), (12, now)):
        collect([(entry(f"{MOODLE}/{BOOK}", (2026, 11, day, 9, 30, 0)), data)])
    plant_submission(Path("submitted"), small.id, Person(student), without_verdict, student)
    wrong = [NamedMistake("wrong_axis", "Wrong axis.")]
    for data, softmax in (
        (open, result("softmax", 0.0, 2.0, "not_attempted")),
        (before, result("softmax", 0.0, 2.0, mistakes=wrong)),
        (now, result("softmax", 2.0, 2.0)),
    ):
        Path("kept.ipynb").write_bytes(data)
        submission = read_submission(small, student, Path("kept.ipynb"))
        given = small_verdict(softmax)
        stamp = RunSettings(small).stamp(submission.hash)
        given = replace(given, student=student, stamp=stamp)
        if data != now:
            keep_earlier(given)
    keep(given)
    words = ["--assignment", small.id, "--course", small.course.root]
    words += ["--submitted", "submitted", "--results", "results"]
    printed = " ".join(shown(student, *words).split())
    times = [f"2026-11-{day:02} 09:30" for day in (9, 10, 11, 12)]
    untouched, unreadable, first, second = map(printed.index, times)
    assert untouched < unreadable < first < second
    assert "nothing attempted" in printed[untouched:unreadable] and "no time" in printed
    assert "no verdict is kept" in printed.partition("no time")[2]
    assert "is no notebook" in printed[unreadable:first]
    assert "0 / 7 softmax: wrong axis" in printed[first:second]
    assert "2 / 7 none that is known; this one counts" in printed[second:]
    words[3] = make_course(Path("berlin"), small.course, BERLIN).root
    assert "2026-11-10 10:30 CET" in shown(student, *words)
    printed = shown(student)  # in a course that has no such assignment any more
    assert f"{small.id}: 2 of 7 points" in printed and times[0] in printed


def test_from_a_folder_in_the_course_the_results_are_the_courses(monkeypatch):
    Path("notes").mkdir()
    monkeypatch.chdir("notes")
    assert BEN in typed("show", BEN)[1]
