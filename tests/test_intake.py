"""Each platform's download is told by its names, and the right notebook found in it."""

import csv
import os

import pytest
from downloads import (
    BOOK,
    DAMAGED,
    ID,
    METADATA,
    MOODLE,
    on_disk,
    others,
    ours,
    receipts,
    standing,
    timestamp,
    zipped,
)
from nbgrader.apps import NbGraderAPI
from traitlets.config import Config

from autograder.__main__ import main
from autograder.cli import collect as command
from autograder.collect.choose import _called
from autograder.platforms import PLATFORMS
from autograder.people import Person, read_roster, roster_path
from autograder.engine.verdict import STUDENT


@pytest.mark.parametrize(
    ("names", "student"),
    [
        ([f"{MOODLE}/{BOOK}"], "ada-softmax-1234567"),
        ([f"{MOODLE}_/{BOOK}"], "ada-softmax-1234567"),
        ([f"{MOODLE}_{BOOK}"], "ada-softmax-1234567"),
        ([f"Course-Sheet 3-99/{MOODLE}_/work/{BOOK}"], "ada-softmax-1234567"),
        ([f"Zoë Müller-Ångström_77_assignsubmission_file_/{BOOK}"], "zoe-muller-angstrom-77"),
        ([f"王芳_77_assignsubmission_file_/{BOOK}"], "moodle-77"),
        ([f"Participant_77_assignsubmission_file/{BOOK}"], "participant-77"),
        ([f"softmaxada_12345_67890_{BOOK}"], "softmaxada-12345"),
        ([f"softmaxada_LATE_12345_67890_{ID}-1.ipynb"], "softmaxada-12345"),
        (["submissions/softmaxada_12345_67890_Late (2).ipynb"], "softmaxada-12345"),
        ([f"anon_aB3xZ_67890_{BOOK}"], "canvas-anon-ab3xz"),
        ([f"müllerzoë_12345_67890_{BOOK}"], "mullerzoe-12345"),
        ([f"Sheet 3/Submissions/Softmax_Ada_asoftmax_4711/{BOOK}"], "asoftmax"),
        ([f"Blatt 3/Abgaben/Team 12/Softmax_Ada_asoftmax_4711/{BOOK}"], "asoftmax"),
        ([f"Blatt 3/Abgaben/Team 12/Ada Softmax/{BOOK}"], "team-12"),
        ([f"Course/{ID}/Submissions/Softmax_Ada_asoftmax_4711/{BOOK}"], "asoftmax"),
        ([f"Softmax_Ada_asoftmax_4711/Verspätete Abgabe - {BOOK}"], "asoftmax"),
        ([f"inbound/ada+{ID}+2026-11-20 15:00:00.123456 UTC+a1b2/{BOOK}"], "ada"),
        ([f"ada+{ID}+2026-11-20 15:00:00 UTC/{BOOK}"], "ada"),
        ([f"submitted/ada/{ID}/{BOOK}", f"submitted/ada/{ID}/timestamp.txt"], "ada"),
        ([f"ada/{BOOK}"], "ada"),
        ([f"Ada Softmax/work/{BOOK}"], "ada-softmax"),
        ([f"class/ada/{BOOK}", "class/bob/hw.ipynb"], "ada"),
        ([f"__MACOSX/._ada/{BOOK}", f"ada/{BOOK}", "ada/.ipynb_checkpoints/x.ipynb"], "ada"),
    ],
)
def test_each_layout_is_recognised_by_its_names(collect, into, names, student):
    status, said = collect({name: ours() if name.endswith("b") else b"?" for name in names})
    assert status == 0, said
    assert standing(into)[student] == ours()
    assert STUDENT.fullmatch(student) and f"{student} " in said


def test_a_folder_is_read_as_its_zip_would_be(collect, into, tmp_path):
    folder = tmp_path / "unpacked" / MOODLE
    folder.mkdir(parents=True)
    (folder / BOOK).write_bytes(ours())
    os.utime(folder / BOOK, (1_800_000_000, 1_800_000_000))
    assert collect(tmp_path / "unpacked")[0] == 0
    assert standing(into) == {"ada-softmax-1234567": ours()}
    assert timestamp(into, "ada-softmax-1234567") == "2027-01-15 08:00:00 UTC"


def test_gradescope_names_everybody_who_handed_in_together(collect, into):
    top = "assignment_123_export"
    files = {f"{top}/submission_{n}/{BOOK}": ours(n) for n in (456, 457, 458)}
    status, said = collect({f"{top}/submission_metadata.yml": METADATA.encode()} | files)
    assert status == 3 and "`submission_458` is nobody's" in said
    assert standing(into) == {
        "0042": ours(456),
        "submission_456": ours(456),
        "submission_457": ours(457),
    }
    assert timestamp(into, "0042") == "2026-11-20 14:00:00 UTC"
    people = read_roster(roster_path(into, ID))
    assert people["0042"] == Person("0042", "Ada Softmax", "ada@uni.example", "gradescope", "456")


def test_the_part_before_the_at_is_an_id_where_only_one_has_it(collect, into):
    metadata = METADATA.replace("ben@other.example", "cleo@uni.example")
    files = {f"e/submission_{n}/{BOOK}": ours(n) for n in (456, 457)}
    collect({"e/submission_metadata.yml": metadata.encode()} | files)
    assert set(standing(into)) == {"0042", "ben", "cleo"}


def test_of_the_exchange_only_this_assignment_is_taken_and_the_newest_counts(collect, into):
    early, late = "2026-11-20 15:00:00.5 UTC", "2026-11-20 16:00:00.5 UTC"
    status, _ = collect(
        {
            f"inbound/ada+{ID}+{late}+x/{BOOK}": ours("late"),
            f"inbound/ada+{ID}+{early}+y/{BOOK}": ours("early"),
            f"inbound/ada+layer-norm+{late}+z/layer-norm.ipynb": others(),
        }
    )
    assert status == 0 and standing(into) == {"ada": ours("late")}
    assert [one["submitted_at"] for one in receipts(into)] == [
        "2026-11-20 15:00:00 UTC",
        "2026-11-20 16:00:00 UTC",
    ]


def test_a_timestamp_of_the_students_own_is_not_believed(collect, into):
    collect({f"{MOODLE}/{BOOK}": ours(), f"{MOODLE}/timestamp.txt": b"2001-01-01 00:00:00 UTC"})
    assert timestamp(into, "ada-softmax-1234567") == "2026-11-20 15:00:00 UTC"


def test_what_no_platform_names_is_asked_for(collect, into):
    status, said = collect({"notes.txt": b"", "encoder-layer.ipynb": ours()})
    assert status == 2 and "--platform" in said and said.count("\n") == 1
    assert not into.exists()


def test_a_platform_may_be_said_outright(collect, into):
    names = {f"Softmax_Ada_asoftmax_4711/{BOOK}": ours()}
    assert collect(names, words=["--platform", "folder"])[0] == 0
    assert set(standing(into)) == {"Softmax_Ada_asoftmax_4711"}


def test_the_command_offers_the_platforms_that_there_are():
    assert set(command.PLATFORMS) == set(PLATFORMS)


@pytest.mark.parametrize("platform", ["moodle", "canvas", "ilias", "gradescope"])
def test_a_made_up_class_is_placed_whole_and_again_nothing_changes(
    collect, into, tmp_path, platform
):
    zip_file = tmp_path / "made-up.zip"
    words = ["--as", platform, "--assignment", ID, "--students", "21", "--seed", "3"]
    assert main(["sample-class", str(zip_file), *words]) == 0
    assert main(["sample-class", str(zip_file), *words]) == 2
    status, said = collect(zip_file)
    assert status == 0 and "21 placed; all placed" in said
    with (tmp_path / "made-up-class.csv").open(newline="") as file:
        numbers = {row["number"] for row in csv.DictReader(file)}
    people = read_roster(roster_path(into, ID))
    assert len(standing(into)) == 21 == len(people)
    assert all(person.platform == platform and person.name for person in people.values())
    if platform != "gradescope":
        assert {person.number for person in people.values()} == numbers
    before = {
        path: path.stat().st_mtime_ns for path in into.rglob("*") if path.name != "roster.csv"
    }
    status, said = collect(zip_file)
    assert status == 0 and "21 unchanged; all placed" in said
    now = {path: path.stat().st_mtime_ns for path in into.rglob("*") if path.name != "roster.csv"}
    known = {path for path in before if path.name != ID or path.parent.name != ".received"}
    assert {path: now[path] for path in known} == {path: before[path] for path in known}
    assert now.keys() == before.keys()


@pytest.mark.parametrize(
    ("files", "taken"),
    [
        ({"hw.ipynb": ours()}, ours()),
        ({BOOK: DAMAGED}, DAMAGED),
        ({BOOK: b""}, b""),
        ({BOOK: ours(1), "notes.ipynb": ours(2)}, ours(1)),
        ({BOOK.upper(): ours(1), "notes.ipynb": ours(2)}, ours(1)),
        ({f"{ID} (1).ipynb": ours(1), "notes.ipynb": ours(2)}, ours(1)),
        ({BOOK: others(), "mine.ipynb": ours(2)}, ours(2)),
        ({"a.ipynb": others(), "b.ipynb": ours(2)}, ours(2)),
        ({"a.ipynb": DAMAGED, "b.ipynb": ours(2)}, ours(2)),
        ({"a.ipynb": ours(1), "b.ipynb": ours(1)}, ours(1)),
        ({"hw.zip": zipped({"my work/hw.ipynb": ours(3)})}, ours(3)),
        ({"HW.ZIP": zipped({f"__MACOSX/._{BOOK}": b"", BOOK: ours(3)})}, ours(3)),
        ({"old.ipynb": others(), "hw.zip": zipped({BOOK: ours(3)})}, ours(3)),
    ],
)
def test_the_assignments_notebook_is_found_among_what_was_handed_in(collect, into, files, taken):
    status, said = collect({f"{MOODLE}/{name}": data for name, data in files.items()})
    assert status == 0, said
    assert standing(into) == {"ada-softmax-1234567": taken}


@pytest.mark.parametrize(
    ("files", "reason"),
    [
        ({"hw.pdf": b"%PDF"}, "there is no notebook"),
        ({BOOK: others()}, "is for another assignment"),
        ({"a.ipynb": others(1), "b.ipynb": others(2)}, "are for another assignment"),
        (
            {"a.ipynb": ours(1), "b.ipynb": ours(2)},
            "2 notebooks could be meant (`a.ipynb`, `b.ipynb`)",
        ),
        ({"hw.zip": b"PK"}, "`hw.zip` is no zip, or a damaged one"),
        ({"hw.zip": zipped({"deep.zip": zipped({BOOK: ours()})})}, "there is no notebook"),
        ({"hw.zip": zipped({"../../x.ipynb": ours()})}, "leads out of the download"),
    ],
)
def test_what_cannot_be_placed_is_listed_with_the_reason(collect, into, files, reason):
    members = {f"{MOODLE}/{name}": data for name, data in files.items()}
    status, said = collect(members | {f"Ben Mask_7_assignsubmission_file/{BOOK}": ours()})
    assert status == 3 and "1 not placed" in said
    assert "`Ada Softmax_1234567`" in said and reason in said
    assert set(standing(into)) == {"ben-mask-7"}


def test_whoever_only_wrote_online_is_listed(collect):
    name = "Ada Softmax_1234567_assignsubmission_onlinetext/onlinetext.html"
    status, said = collect({name: b"<p>", f"Ben Mask_7_assignsubmission_file/{BOOK}": ours()})
    assert status == 3 and "`Ada Softmax_1234567`: there is no notebook." in said


def test_of_two_uploads_the_later_one_is_taken(collect, into):
    files = {f"softmaxada_5_{n}_{ID}-{n}.ipynb": ours(n) for n in (90, 100)}
    assert collect(files)[0] == 0
    assert standing(into) == {"softmaxada-5": ours(100)}


@pytest.mark.parametrize("wanted", [ID, "sheet-3"])
@pytest.mark.parametrize(
    "name",
    [
        *("{}.ipynb", "{} (1).ipynb", "{}-1.IPYNB", "{}_final-2.ipynb", "{} - Copy (2).ipynb"),
        *("{}-Copy1.ipynb", "Copy of {}.ipynb", "Late Submission - {}-1.ipynb"),
    ],
)
def test_a_name_is_known_by_what_is_left_of_it(name, wanted):
    assert _called(name.format(wanted.upper()), wanted)
    assert not _called(name.format("notes"), wanted)


def test_a_zip_that_was_handed_in_is_kept_as_it_came(collect, into):
    packed = zipped({"my work/hw.ipynb": ours(3)})
    collect({f"{MOODLE}/all of it.zip": packed})
    kept = {path.rpartition("/")[2]: data for path, data in on_disk(into / ".received").items()}
    assert kept["all of it.zip"] == packed and kept["hw.ipynb"] == ours(3)
    assert receipts(into)[0]["inside"] == "my work/hw.ipynb"


def test_what_was_collected_can_be_graded(collect, into):
    from autograder.engine.assignment import find_assignment
    from autograder.classroom.find import find_submissions, placed

    collect({f"ada/{BOOK}": ours(), "ben/hw.ipynb": DAMAGED})
    config = Config()
    config.CourseDirectory.root = str(into.parent)
    assert NbGraderAPI(config=config).get_submitted_students(ID) == {"ada", "ben"}
    entries, refused = placed(find_submissions(into, find_assignment(ID)))
    assert [entry.student for entry in entries] == ["ada", "ben"] and not refused
    assert all(entry.notebook.name == BOOK for entry in entries)
