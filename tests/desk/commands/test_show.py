"""`show` from the command line: one student, all that is known, at 80 columns."""

import shutil
from pathlib import Path

import pytest
from downloads import BOOK, MOODLE, entry
from exports import ADA, BEN, CLEO, DAN, ID, enroll, enter, keep, receive_without_place, verdict
from feedback_pages import result
from feedback_pages import verdict as small_verdict
from msgspec.structs import replace
from recorded import plant_roster
from typed_commands import refused, typed

from autograder import NamedMistake
from autograder.classroom.roster import Person
from autograder.engine import RunSettings
from autograder.engine.courses import make_course
from autograder.engine.notebooks import read_submission
from autograder.engine.verdicts.history import add_to_history

BERLIN = '\nc.LatePolicy.timezone = "Europe/Berlin"\n'
pytestmark = [pytest.mark.usefixtures("class_folder"), pytest.mark.slow]


def shown(student: str, *words: str) -> str:
    """What is said of a student."""
    status, said = typed("show", student, *words)
    assert status == 0, said
    return said


def test_exercises_have_points_and_the_sentence_of_the_mistake():
    said = shown(BEN)
    assert "sheet-3: 7.5 of 10 points by automatic checks" in said
    assert "3.5 / 6  The scores are not divided by `sqrt(d_k)`." in said
    assert max(map(len, said.splitlines())) <= 80


def test_what_a_person_gave_and_a_penalty_come_from_the_gradebook():
    enter({ADA: 10.0, BEN: 7.5, "../outside": 1.0}, {BEN: 3.0}, {BEN: 1.0})
    said = shown(BEN)
    assert "sheet-3: 9.5 of 14 points\n" in said and "Late, 1 point" in said
    assert "3 / 4  Marked by hand." in said
    assert "1 still to be marked by hand" in shown(ADA)
    assert "7.5 of 10 points by automatic checks" in shown(BEN, "--no-gradebook")
    Path("results/outside.json").write_text(Path(f"results/sheet-3/{BEN}.json").read_text())
    assert typed("show", "../outside")[0] == 2, "an id leads to no file elsewhere"


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
    said = " ".join(shown(DAN).split())
    assert "sheet-3: received, unmatched" in said and "nothing handed in" not in said
    assert "Two notebooks, and none has the right name. `collect --resolve` places it." in said


@pytest.mark.parametrize("called", ["ben query", "Query, Bén", f"{BEN}@UNI.example", BEN.upper()])
def test_a_student_is_found_by_name_and_address(called):
    enroll("moodle", {BEN: "7"})
    assert f"{BEN}: Ben Query, {BEN}@uni.example" in shown(called)


def test_whoever_is_on_the_roster_that_collect_was_given_is_known():
    plant_roster(Path("submitted"), ID, [Person("pia-value", "Pia Value")])
    assert "sheet-3: nothing handed in" in shown("Value, Pia")


def test_what_a_student_wrote_is_printed_and_not_obeyed():
    bad = "\x1b]0;x\x07[bold]`x`\u202e"
    changed = verdict(BEN, 7.5)
    results = [replace(one, mistakes=[NamedMistake("x", bad)]) for one in changed.exercises]
    keep(replace(changed, exercises=results, repairs=[bad], notes=[bad]))
    said = shown(BEN)
    assert "\x1b" not in said and "\u202e" not in said and "[bold]" in said
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
    before = small.release.read_bytes()
    now = before.replace(b"YOUR ANSWER HERE", b"It is divided.")
    for day, data in ((10, b"no notebook"), (11, before), (12, now)):
        collect([(entry(f"{MOODLE}/{BOOK}", (2026, 11, day, 9, 30, 0)), data)])
    wrong = [NamedMistake("wrong_axis", "Wrong axis.")]
    for data, points, mistakes in ((before, 0.0, wrong), (now, 2.0, [])):
        Path("kept.ipynb").write_bytes(data)
        submission = read_submission(small, student, Path("kept.ipynb"))
        given = small_verdict(result("softmax", points, 2.0, mistakes=mistakes))
        stamp = RunSettings(small).stamp(submission.hash)
        given = replace(given, student=student, stamp=stamp)
        if mistakes:
            add_to_history(Path("results"), given)
    keep(given)
    words = [
        "--assignment",
        small.id,
        "--course",
        small.course.root,
        "--submitted",
        "submitted",
        "--results",
        "results",
    ]
    said = " ".join(shown(student, *words).split())
    times = [f"2026-11-{day} 09:30" for day in (10, 11, 12)]
    unreadable, first, second = map(said.index, times)
    assert unreadable < first < second
    assert "is no notebook" in said[unreadable:first]
    assert "0 / 7 softmax: wrong axis" in said[first:second]
    assert "2 / 7 none that is known; this one counts" in said[second:]
    words[3] = make_course(Path("berlin"), small.course, BERLIN).root
    assert "2026-11-10 10:30 CET" in shown(student, *words)
    said = shown(student)  # in a course that has no such assignment any more
    assert f"{small.id}: 2 of 7 points" in said and times[0] in said


def test_from_a_folder_in_the_course_the_results_are_the_courses(monkeypatch):
    Path("notes").mkdir()
    monkeypatch.chdir("notes")
    assert BEN in typed("show", BEN)[1]
