"""A platform's download becomes submissions: whose, which notebook, which is newest; nothing is lost."""

import csv
import json
import os
import zipfile
from datetime import UTC, datetime

import pytest
from downloads import DAMAGED, entry, on_disk, others, ours, zipped
from hypothesis import given, settings
from hypothesis import strategies as st
from nbgrader.apps import NbGraderAPI
from nbgrader.coursedir import CourseDirectory
from nbgrader.utils import parse_utc
from traitlets.config import Config

from autograder.__main__ import main
from autograder.commands import collect as command
from autograder.intake.choose import _called
from autograder.intake.ids import settle, slug
from autograder.intake.keep import safe_name
from autograder.intake.platforms import PLATFORMS
from autograder.intake.roster import Person, read_roster, roster_path, write_roster
from autograder.intake.times import parse_time, stamp
from autograder.verdict import STUDENT

ID = "encoder-layer"
BOOK = f"{ID}.ipynb"
MOODLE = "Ada Softmax_1234567_assignsubmission_file"


@pytest.fixture
def into(tmp_path):
    return tmp_path / "submitted"


@pytest.fixture
def collect(tmp_path, into, capfd):
    """Collect downloads, given as bytes or as members by name; return status and what was said."""

    def run(*downloads, words=(), zone="UTC"):
        paths = []
        for number, download in enumerate(downloads):
            path = tmp_path / f"download-{number}.zip"
            if isinstance(download, dict | list):
                download = zipped(download)
            if isinstance(download, bytes):
                path.write_bytes(download)
                download = path
            paths.append(str(download))
        zone_words = ["--timezone", zone] if zone else []
        status = main(
            ["collect", *paths, "--assignment", ID, "--into", str(into), *zone_words, *words]
        )
        return status, "".join(capfd.readouterr())

    return run


def standing(into) -> dict[str, bytes]:
    """The notebooks that would be graded, by student."""
    return {path.parts[-3]: path.read_bytes() for path in into.glob(f"[!.]*/{ID}/{BOOK}")}


def receipts(into, student="*") -> list[dict]:
    files = sorted(into.glob(f".received/{ID}/{student}/*/received.json"))
    return [json.loads(file.read_text()) for file in files]


def timestamp(into, student: str) -> str:
    return (into / student / ID / "timestamp.txt").read_text().strip()


# platforms


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


METADATA = """---
submission_456:
  :submitters:
  - :name: Ada Softmax
    :sid: 0042
    :email: ada@uni.example
  - :name: Ben Mask
    :sid: ''
    :email: ben@uni.example
  :created_at: 2026-11-20 15:00:00.861687000 +01:00
  :results:
    output: |-
      ===
      Score: 1
submission_457:
  :submitters:
  - :name: Cleo Head
    :email: ben@other.example
  :created_at: 2026-11-21 08:30:00.5 Z
submission_458:
  :submitters: []
"""


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


# which notebook


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


# which is newest


def moodle(mark, hour: int) -> bytes:
    return zipped([(entry(f"{MOODLE}/{BOOK}", (2026, 11, 20, hour, 0, 0)), ours(mark))])


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (1, 2, 0)])
@pytest.mark.parametrize("at_once", [True, False])
def test_the_newest_stands_whatever_comes_first_and_all_are_kept(collect, into, order, at_once):
    downloads = [moodle(mark, hour=10 + mark) for mark in range(3)]
    if at_once:
        collect(*(downloads[i] for i in order))
    else:
        for i in order:
            collect(downloads[i])
    assert standing(into) == {"ada-softmax-1234567": ours(2)}
    assert timestamp(into, "ada-softmax-1234567") == "2026-11-20 12:00:00 UTC"
    kept = on_disk(into / ".received")
    assert {data for path, data in kept.items() if path.endswith(BOOK)} == {
        ours(0),
        ours(1),
        ours(2),
    }


def test_the_table_says_what_is_newer_older_and_unchanged(collect):
    assert "1 placed; all placed" in collect(moodle(1, hour=11))[1]
    assert "1 unchanged" in collect(moodle(1, hour=11))[1]
    assert "1 newer than before" in collect(moodle(2, hour=12))[1]
    assert "1 older, kept aside" in collect(moodle(0, hour=10))[1]
    assert "1 unchanged" in collect(moodle(0, hour=10))[1]


def test_the_same_file_handed_in_later_counts_as_later(collect, into):
    collect(moodle(1, hour=10))
    collect(moodle(2, hour=11))
    collect(moodle(1, hour=12))
    assert standing(into) == {"ada-softmax-1234567": ours(1)}
    assert timestamp(into, "ada-softmax-1234567") == "2026-11-20 12:00:00 UTC"


def test_canvas_tells_no_time_but_which_upload_is_later_and_who_was_late(collect, into):
    collect({f"softmaxada_LATE_5_101_{ID}-1.ipynb": ours("later")})
    status, said = collect({f"softmaxada_5_100_{BOOK}": ours("earlier")})
    assert status == 0 and "1 older, kept aside" in said
    assert standing(into) == {"softmaxada-5": ours("later")}
    assert not (into / "softmaxada-5" / ID / "timestamp.txt").exists()
    late = {one["upload"]: (one["submitted_at"], one["late"]) for one in receipts(into)}
    assert late == {100: (None, False), 101: (None, True)}


def test_without_any_time_the_last_collected_stands(collect, into):
    for mark in (1, 2):
        unset = entry(f"ada/{BOOK}", (1980, 1, 1, 0, 0, 0))
        collect([(unset, ours(mark))])
    assert standing(into) == {"ada": ours(2)} and len(receipts(into)) == 2


def test_a_copied_folder_with_new_times_changes_nothing(collect, into, tmp_path):
    book = tmp_path / "class" / "ada" / BOOK
    book.parent.mkdir(parents=True)
    book.write_bytes(ours())
    collect(tmp_path / "class")
    before = on_disk(into)
    os.utime(book, (1_900_000_000, 1_900_000_000))
    assert "1 unchanged" in collect(tmp_path / "class")[1]
    assert on_disk(into) == before


def test_what_somebody_put_there_by_hand_is_kept_before_a_newer_one_stands(collect, into):
    mine = into / "ada-softmax-1234567" / ID / BOOK
    mine.parent.mkdir(parents=True)
    mine.write_bytes(ours("by hand"))
    os.utime(mine, (1_700_000_000, 1_700_000_000))
    collect(moodle(1, hour=10))
    assert mine.read_bytes() == ours(1)
    by_hand = [one for one in receipts(into) if one["time_from"] == "put there by hand"]
    assert [one["submitted_at"] for one in by_hand] == ["2023-11-14 22:13:20 UTC"]
    assert ours("by hand") in on_disk(into / ".received").values()


def test_what_was_changed_by_hand_stays_until_something_new_arrives(collect, into):
    collect(moodle(1, hour=10))
    mine = into / "ada-softmax-1234567" / ID / BOOK
    mine.write_bytes(ours("mended"))
    collect(moodle(1, hour=10))
    assert mine.read_bytes() == ours("mended")
    collect(moodle(2, hour=11))
    assert mine.read_bytes() == ours(2) and ours("mended") in on_disk(into).values()


def test_an_interrupted_run_is_put_right_by_the_next(collect, into):
    collect(moodle(1, hour=10))
    collect(moodle(2, hour=11))
    book = into / "ada-softmax-1234567" / ID / BOOK
    book.write_bytes(ours(1))
    book.with_name("timestamp.txt").unlink()
    assert collect(moodle(2, hour=11))[0] == 0
    assert book.read_bytes() == ours(2)
    assert timestamp(into, "ada-softmax-1234567") == "2026-11-20 11:00:00 UTC"


def test_what_is_kept_says_where_it_is_from(collect, into):
    collect(moodle(1, hour=10))
    (receipt,) = receipts(into)
    folder = next(into.glob(f".received/{ID}/*/*"))
    assert folder.name == f"20261120T100000Z-{receipt['sha256'][:8]}"
    wanted = {
        "student": "ada-softmax-1234567",
        "platform": "moodle",
        "number": "1234567",
        "name": "Ada Softmax",
        "submitted_at": "2026-11-20 10:00:00 UTC",
        "time_from": "the zip, read as UTC",
        "bytes": len(ours(1)),
        "download": "download-0.zip",
        "member": f"{MOODLE}/{BOOK}",
    }
    assert {name: receipt[name] for name in wanted} == wanted
    assert datetime.fromisoformat(receipt["collected_at"]).tzinfo == UTC


# times


def test_nbgrader_reads_the_timestamp(collect, into):
    collect(moodle(1, hour=10))
    directory = CourseDirectory(root=str(into.parent))
    found = directory.get_existing_timestamp(str(into / "ada-softmax-1234567" / ID))
    assert found == datetime(2026, 11, 20, 10)


def test_a_time_without_a_zone_is_read_in_the_zone_that_is_named(collect, into):
    collect(moodle(1, hour=10), zone="Europe/Berlin")
    assert timestamp(into, "ada-softmax-1234567") == "2026-11-20 09:00:00 UTC"


def test_a_zone_that_was_wrong_is_put_right_by_collecting_again(collect, into):
    hours = {"UTC": "10", "Europe/Berlin": "09", "America/New_York": "15"}
    for zone in ("UTC", "Europe/Berlin", "America/New_York", "UTC"):
        for _ in range(2):
            collect(moodle(1, hour=8), moodle(2, hour=10), zone=zone)
            assert standing(into) == {"ada-softmax-1234567": ours(2)}
            assert timestamp(into, "ada-softmax-1234567") == f"2026-11-20 {hours[zone]}:00:00 UTC"
    assert len(receipts(into)) == 8


def test_a_zip_with_unix_times_needs_no_zone(collect, into):
    unix = entry(f"Softmax_Ada_asoftmax_4711/{BOOK}")
    unix.extra = b"\x55\x54\x05\x00\x01" + (1_800_000_000).to_bytes(4, "little")
    collect([(unix, ours())], zone="Asia/Tokyo")
    assert timestamp(into, "asoftmax") == "2027-01-15 08:00:00 UTC"


def test_ilias_may_write_the_time_before_the_name(collect, into):
    collect({f"Team_3/Softmax_Ada_asoftmax_4711/20261120150000_{BOOK}": ours()}, zone="Etc/GMT-2")
    assert timestamp(into, "asoftmax") == "2026-11-20 13:00:00 UTC"


@pytest.mark.parametrize(
    ("text", "hour"),
    [
        ("2026-11-20 15:00:00.123456 UTC", 15),
        ("2026-11-20 15:00:00 CET", 14),
        ("2026-11-20 15:00:00 Europe/Berlin", 14),
        ("2026-11-20T15:00:00+02:00", 13),
        ("2026-11-20 15_00_00.5", 15),
    ],
)
def test_times_are_read_as_nbgrader_and_gradescope_write_them(text, hour):
    assert parse_time(text).astimezone(UTC).replace(microsecond=0).hour == hour


def test_feedback_that_lies_beside_submissions_is_no_submission(collect, into):
    top = "Sheet 3/Feedback_files/to_Softmax_Ada_asoftmax_4711/from_Mask_Ben_bmask_5"
    status, said = collect(
        {f"Sheet 3/Submissions/Softmax_Ada_asoftmax_4711/{BOOK}": ours(), f"{top}/{BOOK}": ours(2)}
    )
    assert status == 0 and "1 student:" in said and standing(into) == {"asoftmax": ours()}


def test_a_zone_that_is_none_is_wrong_usage(collect, capfd):
    with pytest.raises(SystemExit) as end:
        collect(moodle(1, hour=10), zone="../../etc/passwd")
    assert end.value.code == 2 and "is no time zone" in capfd.readouterr().err


@given(st.datetimes(datetime(1990, 1, 1), datetime(2100, 1, 1), timezones=st.just(UTC)))
def test_what_is_stamped_is_read_back_here_and_by_nbgrader(when):
    whole = when.replace(microsecond=0)
    assert parse_time(stamp(when)) == whole
    assert parse_utc(stamp(when)) == whole.replace(tzinfo=None)


@given(st.text(max_size=40))
def test_any_text_is_a_time_or_none(text):
    assert parse_time(text) is None or parse_time(text).tzinfo is not None


# ids


@given(st.text(max_size=300), st.from_regex(r"[0-9]{1,12}", fullmatch=True))
def test_a_slug_is_an_id_whatever_the_name(text, number):
    assert STUDENT.fullmatch(slug(text, number))
    assert slug(text) == "" or STUDENT.fullmatch(slug(text))


@settings(deadline=None)
@given(
    st.lists(
        st.builds(
            Person,
            student=st.sampled_from(["ada", "Ada", "ben", "a" * 64]),
            name=st.sampled_from(["", "Ada", "Ben"]),
            platform=st.sampled_from(["moodle", "gradescope"]),
            number=st.sampled_from(["", "1", "2"]),
            email=st.sampled_from(["", "a@x", "b@x"]),
        ),
        max_size=8,
    )
)
def test_no_two_people_share_an_id_in_any_case_of_letters(people):
    settled, left = settle(people, {})
    assert settled.keys() | set(left) == set(people) and not settled.keys() & set(left)
    numbers = {}
    for person, student in settled.items():
        assert STUDENT.fullmatch(student)
        assert numbers.setdefault(student.casefold(), student) == student
        if person.platform == "moodle" and person.number:
            rivals = {
                p.number for p, s in settled.items() if s == student and p.platform == "moodle"
            }
            assert rivals - {""} == {person.number}


def test_two_people_of_one_login_are_told_apart_by_number_and_keep_their_ids(collect, into):
    ada = {f"Softmax_Ada_ada_1/{BOOK}": ours(1)}
    collect(ada)
    for _ in range(2):
        assert collect(ada | {f"Mask_Ada_ada_2/{BOOK}": ours(2)})[0] == 0
        assert standing(into) == {"ada": ours(1), "ada-2": ours(2)}


def test_two_folders_of_one_id_are_both_left_out(collect, into):
    status, said = collect(
        {f"Ada!/{BOOK}": ours(1), f"ada?/{BOOK}": ours(2), f"ben/{BOOK}": ours()}
    )
    assert status == 3 and said.count("would share the id `ada`") == 2
    assert set(standing(into)) == {"ben"}


def test_ids_that_differ_in_case_only_are_not_both_placed(collect, into):
    status, said = collect({f"Ada/{BOOK}": ours(1), f"ada/{BOOK}": ours(2)})
    assert status == 3 and "would share the id" in said and standing(into) == {}
    assert collect({f"ada/{BOOK}": ours(1)})[0] == 0
    assert collect({f"ADA/{BOOK}": ours(2)})[0] == 3
    assert standing(into) == {"ada": ours(1)}


def test_two_people_do_not_share_a_folder_that_was_there_before(collect, into):
    (into / "0042" / ID).mkdir(parents=True)
    metadata = METADATA.replace(":name: Cleo Head", ":name: Cleo Head\n    :sid: '0042'")
    files = {f"e/submission_{n}/{BOOK}": ours(n) for n in (456, 457)}
    collect({"e/submission_metadata.yml": metadata.encode()} | files)
    assert standing(into) == {
        "0042-456": ours(456),
        "0042-457": ours(457),
        "submission_456": ours(456),
    }


def test_a_student_cannot_be_called_as_the_roster_is(collect, into):
    status, said = collect({f"Roster.csv/{BOOK}": ours(), f"ben/{BOOK}": ours()})
    assert status == 3 and "no id can be made" in said and set(standing(into)) == {"ben"}


def test_a_new_surname_is_the_same_participant(collect, into):
    collect({f"Ada Softmax_7_assignsubmission_file/{BOOK}": ours(1)})
    collect({f"Ada Head_7_assignsubmission_file/{BOOK}": ours(2)})
    assert standing(into) == {"ada-softmax-7": ours(2)}


def test_a_name_of_which_no_id_can_be_made_is_listed(collect, into):
    status, said = collect({f"王芳/{BOOK}": ours(), f"ben/{BOOK}": ours()})
    assert status == 3 and "`王芳` has a name of which no id can be made" in said


def test_a_team_is_placed_and_said_to_be_one(collect, into):
    status, said = collect(
        {
            f"Group A_42_assignsubmission_file_/{BOOK}": ours(1),
            f"Default group_assignsubmission_file_/{BOOK}": ours(2),
        }
    )
    assert status == 0 and set(standing(into)) == {"group-a-42", "default-group"}
    assert said.count("whose members the download does not name") == 2


# roster


@pytest.fixture
def roster(tmp_path):
    def write(text: str):
        path = tmp_path / "course.csv"
        path.write_text(text, encoding="utf-8")
        return ["--roster", str(path)]

    return write


@pytest.mark.parametrize(
    "text",
    [
        "student,number\ns007,1234567\n",
        "student,number,platform\ns007,1234567,moodle\nx,1234567,canvas\n",
        "student;name\ns007;Softmax, Ada\nx;Ben Mask\n",
        "\ufeffstudent,name\ns007,Ada  Softmax\n",
        "name,student,note\nSOFTMAX Ada,s007,why, not\n",
        "student\ts\nada-softmax-1234567\tx\n",
    ],
)
def test_a_roster_gives_the_courses_own_ids(collect, into, roster, text):
    status, said = collect({f"{MOODLE}/{BOOK}": ours()}, words=roster(text))
    assert status == 0, said
    assert set(standing(into)) <= {"s007", "ada-softmax-1234567"} and len(standing(into)) == 1


def test_canvas_runs_names_together_and_is_found_all_the_same(collect, into, roster):
    words = roster("student,name\ns007,Ada de la Softmax\n")
    assert collect({f"delasoftmaxada_5_6_{BOOK}": ours()}, words=words)[0] == 0
    assert set(standing(into)) == {"s007"}


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("student,name\na,Ada Softmax\nb,Ada Softmax\n", "has the name of several in"),
        ("student,name\na,Ben Mask\n", "is not in"),
        ("student,number,platform\na,1234567,canvas\n", "is not in"),
    ],
)
def test_whom_a_roster_does_not_tell_is_not_placed(collect, into, roster, text, reason):
    status, said = collect({f"{MOODLE}/{BOOK}": ours()}, words=roster(text))
    assert status == 3 and reason in said and standing(into) == {}


def test_two_people_whom_a_roster_gives_one_id_are_both_left_out(collect, into, roster):
    files = {f"Ada Softmax_{n}_assignsubmission_file/{BOOK}": ours(n) for n in (1, 2)}
    status, said = collect(files, words=roster("student,name\ns007,Ada Softmax\n"))
    assert status == 3 and said.count("would share the id `s007`") == 2 and standing(into) == {}


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("name\nAda\n", "has no column `student`"),
        ("student\n../../evil\n", "cannot be a student's id"),
        ("student\n.received\n", "cannot be a student's id"),
        ('student,name\n"ada', "cannot be a student's id|is no CSV|is not in"),
        ("", "has no column `student`"),
    ],
)
def test_a_roster_that_is_none_is_refused_before_anything_is_written(
    collect, into, roster, text, reason
):
    status, said = collect({f"{MOODLE}/{BOOK}": ours()}, words=roster(text))
    assert status in (2, 3) and any(words in said for words in reason.split("|"))
    assert standing(into) == {}


def test_a_roster_that_is_not_there_is_said_in_one_line(collect, tmp_path):
    status, said = collect({f"ada/{BOOK}": ours()}, words=["--roster", str(tmp_path / "no.csv")])
    assert status == 2 and said.count("\n") == 1 and "There is no roster" in said


words_ = st.text(max_size=20)


@settings(max_examples=40, deadline=None)
@given(
    st.lists(
        st.builds(
            Person,
            student=st.from_regex(STUDENT, fullmatch=True),
            name=words_,
            email=words_,
            platform=words_,
            number=words_,
        ),
        unique_by=lambda person: person.student,
    )
)
def test_a_roster_survives_any_name(tmp_path_factory, people):
    path = tmp_path_factory.mktemp("roster") / "roster.csv"
    write_roster(path, people)
    assert list(read_roster(path).values()) == sorted(people, key=lambda one: one.student)


def test_collecting_merges_into_the_roster(collect, into):
    collect({f"{MOODLE}/{BOOK}": ours()})
    collect({f"Ben Mask_7_assignsubmission_file/{BOOK}": ours()})
    people = read_roster(roster_path(into, ID))
    assert (
        people["ada-softmax-1234567"].number == "1234567"
        and people["ben-mask-7"].name == "Ben Mask"
    )


def test_collecting_from_where_it_went_changes_nothing_and_forgets_nobody(collect, into):
    collect({f"{MOODLE}/{BOOK}": ours()})
    before = on_disk(into)
    status, said = collect(into)
    assert status == 0 and "1 unchanged" in said and on_disk(into) == before


# what stands is what is graded


def test_what_was_collected_can_be_graded(collect, into):
    from autograder.assignment import find_assignment
    from autograder.classroom import find_submissions, placed

    collect({f"ada/{BOOK}": ours(), "ben/hw.ipynb": DAMAGED})
    config = Config()
    config.CourseDirectory.root = str(into.parent)
    assert NbGraderAPI(config=config).get_submitted_students(ID) == {"ada", "ben"}
    entries, refused = placed(find_submissions(into, find_assignment(ID)))
    assert [entry.student for entry in entries] == ["ada", "ben"] and not refused
    assert all(entry.notebook.name == BOOK for entry in entries)


@given(st.text(max_size=300))
def test_a_safe_name_is_one_plain_file(name):
    safe = safe_name(name)
    assert safe and "/" not in safe and safe[0] != "." and len(safe.encode()) <= 120
    assert safe == safe_name(safe) and zipfile.ZipInfo(safe).filename == safe


class Died(BaseException):
    """As if the machine had stopped: nothing gets to tidy up by what it knows."""


@pytest.mark.parametrize("last", range(21))
def test_a_run_that_dies_anywhere_is_finished_by_the_next(collect, into, monkeypatch, last):
    collect(moodle(1, hour=10))
    steps = iter(range(100))

    def dying(step):
        def run(*words, **more):
            if next(steps) == last:
                raise Died
            return step(*words, **more)

        return run

    ben = {f"Ben Mask_7_assignsubmission_file/{BOOK}": ours(7)}
    with monkeypatch.context() as patched:
        for name in ("replace", "rename", "fsync"):
            patched.setattr(os, name, dying(getattr(os, name)))
        try:
            collect(moodle(2, hour=11), ben)
            assert last == 20
        except Died:
            pass
    assert standing(into)["ada-softmax-1234567"] in (ours(1), ours(2))
    assert collect(moodle(2, hour=11), ben)[0] == 0
    assert standing(into) == {"ada-softmax-1234567": ours(2), "ben-mask-7": ours(7)}
    assert timestamp(into, "ada-softmax-1234567") == "2026-11-20 11:00:00 UTC"
    assert len(receipts(into)) == 3 and set(read_roster(roster_path(into, ID))) == set(
        standing(into)
    )
