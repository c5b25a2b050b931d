"""The newest stands where it is graded, all that was received is kept, and times are in UTC."""

import os
from datetime import datetime

import pytest
from downloads import (
    BOOK,
    ID,
    entry,
    moodle,
    on_disk,
    ours,
    receipts,
    standing,
    timestamp,
)
from nbgrader.coursedir import CourseDirectory
from recorded import everything_received
from sampling import every

from autograder.classroom.roster import read_roster

pytestmark = [pytest.mark.usefixtures("read_without_fork"), pytest.mark.slow]


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
    assert everything_received(into) == {ours(0), ours(1), ours(2)}


def test_canvas_tells_no_time_but_which_upload_is_later_and_who_was_late(collect, into):
    collect({f"softmaxada_LATE_5_101_{ID}-1.ipynb": ours("later")})
    status, said = collect({f"softmaxada_5_100_{BOOK}": ours("earlier")})
    assert status == 0 and "1 older, kept aside" in said
    assert standing(into) == {"softmaxada-5": ours("later")}
    assert not (into / "softmaxada-5" / ID / "timestamp.txt").exists()
    late = {one["upload"]: (one["submitted_at"], one["late"]) for one in receipts(into)}
    assert late == {100: (None, False), 101: (None, True)}


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
    assert [one["submitted_at"] for one in by_hand] == [None]
    assert ours("by hand") in everything_received(into)


def test_what_was_changed_by_hand_stays_until_something_new_arrives(collect, into):
    collect(moodle(1, hour=10))
    mine = into / "ada-softmax-1234567" / ID / BOOK
    mine.write_bytes(ours("mended"))
    collect(moodle(1, hour=10))
    assert mine.read_bytes() == ours("mended")
    collect(moodle(2, hour=11))
    assert mine.read_bytes() == ours(2) and ours("mended") in everything_received(into)


def test_nbgrader_reads_the_timestamp(collect, into):
    collect(moodle(1, hour=10))
    directory = CourseDirectory(root=str(into.parent))
    found = directory.get_existing_timestamp(str(into / "ada-softmax-1234567" / ID))
    assert found == datetime(2026, 11, 20, 10)


def test_a_zone_that_was_wrong_is_put_right_by_collecting_again(collect, into):
    hours = {"UTC": "10", "Europe/Berlin": "09", "America/New_York": "15"}
    for zone in ("UTC", "Europe/Berlin", "America/New_York", "UTC"):
        for _ in range(2):
            collect(moodle(1, hour=8), moodle(2, hour=10), zone=zone)
            assert standing(into) == {"ada-softmax-1234567": ours(2)}
            assert timestamp(into, "ada-softmax-1234567") == f"2026-11-20 {hours[zone]}:00:00 UTC"
    assert len(receipts(into)) == 2


def test_a_zip_with_unix_times_needs_no_zone(collect, into):
    unix = entry(f"Softmax_Ada_asoftmax_4711/{BOOK}")
    unix.extra = b"\x55\x54\x05\x00\x01" + (1_800_000_000).to_bytes(4, "little")
    other = entry(f"Mask_Ben_bmask_4712/{BOOK}")
    other.extra = b"\x55\x54\x05\x00\x01" + (1_800_090_000).to_bytes(4, "little")
    collect([(unix, ours()), (other, ours(1))], zone="Asia/Tokyo")
    assert timestamp(into, "asoftmax") == "2027-01-15 08:00:00 UTC"


@pytest.mark.parametrize("last", every(4, range(9)))
def test_a_run_that_dies_anywhere_is_finished_by_the_next(collect, into, dies, last):
    collect(moodle(1, hour=10))
    ben = {f"Ben Mask_7_assignsubmission_file/{BOOK}": ours(7)}
    assert dies(lambda: collect(moodle(2, hour=11), ben), last) or last > 4
    assert standing(into)["ada-softmax-1234567"] in (ours(1), ours(2))
    assert collect(moodle(2, hour=11), ben)[0] == 0
    assert standing(into) == {"ada-softmax-1234567": ours(2), "ben-mask-7": ours(7)}
    assert timestamp(into, "ada-softmax-1234567") == "2026-11-20 11:00:00 UTC"
    assert len(receipts(into)) == 3 and set(read_roster(into, ID)) == set(standing(into))


@pytest.mark.parametrize("last", every(4, range(8)))
def test_an_undo_that_dies_anywhere_is_typed_again(collect, into, dies, last):
    ben = {f"Ben Mask_7_assignsubmission_file/{BOOK}": ours(7)}
    collect(moodle(1, hour=10))
    collect(moodle(2, hour=11), ben)
    assert dies(lambda: collect(words=["--undo"]), last) or last > 2
    collect(moodle(1, hour=10))
    is_undone = len(receipts(into)) == 1
    number, whose = (1, {}) if is_undone else (2, {"ben-mask-7": ours(7)})
    assert standing(into) == {"ada-softmax-1234567": ours(number), **whose}
    while len(receipts(into)) > 1:
        assert collect(words=["--undo"])[0] == 0
    assert standing(into) == {"ada-softmax-1234567": ours(1)}
