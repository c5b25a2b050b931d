"""`show` from the command line: one student, all that is known, at 80 columns."""

import json
import shutil
from dataclasses import asdict
from pathlib import Path

import pytest
from exports import ADA, BEN, CLEO, DAN, enroll, enter, keep, receive_without_place, verdict
from feedback_pages import result
from feedback_pages import verdict as small_verdict
from msgspec.structs import replace

from autograder.cli.main import main
from autograder.collect.receipts import Receipt
from autograder.collect.received import StudentFolders
from autograder.engine.fingerprint import RunSettings
from autograder.engine.history import add_to_history
from autograder.engine.submission import read_submission
from autograder.engine.verdict import NamedMistake, write_verdict
from autograder.people import Person


@pytest.fixture
def show(class_folder, capfd):
    """Run the command; return its status and what was said."""

    def run(*words: str) -> tuple[int, str]:
        status = main(["show", *words])
        return status, "".join(capfd.readouterr())

    return run


def test_exercises_have_points_and_the_sentence_of_the_mistake(show):
    status, said = show(BEN)
    assert status == 0 and "sheet-3: 7.5 of 10 points by automatic checks" in said
    assert "3.5 / 6  The scores are not divided by `sqrt(d_k)`." in said
    assert max(map(len, said.splitlines())) <= 80


def test_what_a_person_gave_and_a_penalty_come_from_the_gradebook(show):
    enter({ADA: 10.0, BEN: 7.5}, {BEN: 3.0}, {BEN: 1.0})
    assert "sheet-3: 9.5 of 14 points\n" in show(BEN)[1]
    said = show(BEN)[1]
    assert "Late, 1 points less." in said or "Late, 1 point" in said
    assert "3 / 4  Marked by hand." in said
    assert "1 still to be marked by hand" in show(ADA)[1]
    assert "7.5 of 10 points by automatic checks" in show(BEN, "--no-gradebook")[1]


def test_a_gradebook_that_holds_another_verdict_is_not_believed(show):
    enter({BEN: 2.0}, {}, {})
    assert "7.5 of 10 points by automatic checks" in show(BEN)[1]


def test_unreadable_and_nothing_are_said(show):
    enroll("moodle", {DAN: "7", CLEO: "8"})
    assert "sheet-3: unreadable" in show(CLEO)[1]
    assert "its JSON is damaged." in show(CLEO)[1]
    assert "sheet-3: nothing handed in" in show(DAN)[1]
    Path("submitted", DAN, "sheet-3").mkdir(parents=True)
    assert "handed in and not graded yet" in show(DAN)[1]


def test_what_was_received_and_not_placed_is_said(show):
    enroll("moodle", {DAN: "7"})
    receive_without_place(Person("", "Dan Token", f"{DAN}@uni.example", "moodle", "7"))
    said = " ".join(show(DAN)[1].split())
    assert "sheet-3: received, not placed" in said and "nothing handed in" not in said
    assert "Two notebooks, and none has the right name. `collect --resolve` places it." in said


def test_a_student_is_found_by_name_and_address(show):
    enroll("moodle", {BEN: "7"})
    for called in ("ben query", "Query, Bén", f"{BEN}@UNI.example", BEN.upper()):
        status, said = show(called)
        assert status == 0 and f"{BEN}: Ben Query, {BEN}@uni.example" in said


def test_who_is_not_known_is_told_in_one_sentence_with_who_may_be_meant(show):
    status, said = show("ben-quary")
    assert status == 2 and said.count("\n") == 1 and f"Did you mean {BEN}?" in said
    status, said = show("\x1b[31mx")
    assert status == 2 and "\x1b" not in said and said.count("\n") == 1


def test_an_id_in_the_gradebook_leads_to_no_file_elsewhere(show):
    enter({"../outside": 1.0}, {}, {})
    Path("results/outside.json").write_text(Path(f"results/sheet-3/{BEN}.json").read_text())
    assert show("../outside")[0] == 2


def test_wrong_usage_is_said(show):
    assert show(ADA, "--results", "nowhere")[0] == 2
    status, said = show(ADA, "--assignment", "decoder")
    assert status == 2 and "No verdicts of `decoder`" in said


def test_what_a_student_wrote_is_printed_and_not_obeyed(show):
    bad = "\x1b]0;x\x07[bold]`x`\u202e"
    changed = verdict(BEN, 7.5)
    results = [replace(one, mistakes=[NamedMistake("x", bad)]) for one in changed.exercises]
    keep(replace(changed, exercises=results, repairs=[bad], notes=[bad]))
    said = show(BEN)[1]
    assert "\x1b" not in said and "\u202e" not in said and "[bold]" in said


def test_a_student_is_found_by_the_rosters_address_where_the_platform_has_none(
    copied, monkeypatch, capfd
):
    monkeypatch.chdir(copied.course.root)
    Path("roster.csv").write_text("student,name,email\nada,Ada Softmax,ada@uni.example\n")
    for folder in ("ada@uni.example", "Ada Softmax"):
        place = Path("download", folder, "small-sheet.ipynb")
        place.parent.mkdir(parents=True)
        place.write_bytes(copied.release.read_bytes())
        words = ["--roster", "roster.csv", "--into", "submitted", "--platform", "folder"]
        assert main(["collect", "download", "--assignment", copied.id, *words]) == 0
        keep(replace(small_verdict(), student="ada"))
        assert main(["show", "ADA@uni.example"]) == 0
        assert "ada: Ada Softmax, ada@uni.example" in capfd.readouterr().out
        shutil.rmtree("download")
        shutil.rmtree("submitted")


def test_a_student_is_shown_when_an_assignment_was_taken_away(copied, monkeypatch, capfd):
    monkeypatch.chdir(copied.course.root)
    folders = StudentFolders(Path("submitted"), copied.id, "ada")
    one = receipt("ada", "2026-11-10 08:00:00 UTC", 0, b"a notebook")
    folders.place(one, {one.file: b"a notebook"})
    keep(replace(small_verdict(), student="ada"))
    for folder in ("source", "release"):
        shutil.rmtree(copied.course.root / folder / copied.id)
    assert main(["show", "ada"]) == 0
    said = capfd.readouterr().out
    assert f"{copied.id}: 4.5 of 7 points" in said and "2026-11-10 08:00" in said


def receipt(student: str, at: str, order: int, data: bytes) -> Receipt:
    import hashlib

    return Receipt(
        student, "moodle", "7", "Ada", "", at, "the platform", None, None, None,
        hashlib.sha256(data).hexdigest(), len(data), "small-sheet.ipynb", "a.zip", "x", "",
        "2026-11-12T10:00:00+00:00", order,
    )  # fmt: skip


def test_earlier_hand_ins_are_listed_with_their_points(copied, monkeypatch, capfd):
    monkeypatch.chdir(copied.course.root)
    before = copied.release.read_bytes()
    content = json.loads(before)
    (cell,) = (cell for cell in content["cells"] if cell["id"] == "softmax")
    cell["source"] = "def softmax(scores):\n    return scores"
    now = json.dumps(content).encode()
    folders = StudentFolders(Path("submitted"), copied.id, "ada")
    times = "2026-11-10 08:00:00 UTC", "2026-11-11 09:00:00 UTC", "2026-11-12 09:30:00 UTC"
    for order, (at, data) in enumerate(zip(times, (b"no notebook", before, now), strict=True)):
        one = receipt("ada", at, order, data)
        assert asdict(one)["order"] == order
        folders.place(one, {one.file: data})
    settings = RunSettings(copied)
    kept = Path("kept.ipynb")
    for data, points in ((before, 0.0), (now, 2.0)):
        kept.write_bytes(data)
        submission = read_submission(copied, "ada", kept)
        mistakes = [] if points else [NamedMistake("wrong_axis", "Wrong axis.")]
        given = small_verdict(result("softmax", points, 2.0, mistakes=mistakes))
        given = replace(given, stamp=settings.stamp(submission.hash))
        if not points:
            add_to_history(Path("results"), given)
    write_verdict(Path("results", copied.id, "ada.json"), given)
    assert main(["show", "ada"]) == 0
    said = " ".join(capfd.readouterr().out.split())
    unreadable, first, second = (said.index(at.removesuffix(":00 UTC")) for at in times)
    assert unreadable < first < second
    assert "is no notebook" in said[unreadable:first]
    assert "0 / 7 softmax: wrong axis" in said[first:second]
    assert "2 / 7 none that is known; this one counts" in said[second:]
