"""A time of handing in is taken from a platform, or not at all; what is doubtful is told."""

import os
import time
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from downloads import BOOK, ID, MOODLE, entry, moodle, ours, receipts, standing, timestamp

from autograder.classroom.newest_files import late_by_word
from autograder.engine import texts

pytestmark = [pytest.mark.usefixtures("read_without_fork"), pytest.mark.slow]

DAY = timedelta(days=1)


@pytest.fixture
def times(into):
    """Return the times of handing in that grading would take, by student."""

    def read() -> dict[str, str | None]:
        students = [path.name for path in into.glob("[!.]*") if path.is_dir()]
        known = {one: (into / one / ID / "timestamp.txt").exists() for one in students}
        return {one: timestamp(into, one) if known[one] else None for one in sorted(students)}

    return read


@pytest.fixture
def plain(tmp_path):
    """A folder with a folder for each of three students, with times of no meaning."""
    for number in range(3):
        book = tmp_path / "class" / f"s{number}" / BOOK
        book.parent.mkdir(parents=True)
        book.write_bytes(ours(number))
        os.utime(book, (1_700_000_000 + number, 1_700_000_000 + number))
    return tmp_path / "class"


@pytest.fixture
def in_berlin(monkeypatch):
    """This machine is in Berlin."""
    monkeypatch.setenv("TZ", "Europe/Berlin")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


def moodle_zip(*whens: tuple) -> list:
    """A zip of Moodle's with one student for each time."""
    names = "ABCDEFG"
    return [
        (entry(f"{names[i]}da Softmax_{i + 10}_assignsubmission_file/{BOOK}", when), ours(i))
        for i, when in enumerate(whens)
    ]


def test_a_plain_folders_times_are_taken_with_the_flag_alone_and_they_stay(
    collect, plain, times, into
):
    status, said = collect(plain)
    assert status == 0 and times() == {"s0": None, "s1": None, "s2": None}
    assert said.count("No time of submission is known of s0, s1, s2") == 1
    assert "--file-times" in said
    for words in (["--file-times"], []):
        assert "No time" not in collect(plain, words=words)[1]
        assert times()["s1"] == "2023-11-14 22:13:21 UTC"
        assert "3 unchanged" in collect(plain, words=["--file-times"])[1]
    assert standing(into) == {f"s{number}": ours(number) for number in range(3)}


def test_a_platforms_time_stays_when_the_same_is_collected_from_a_folder(
    collect, into, tmp_path, times
):
    collect(moodle(1, hour=10))
    book = tmp_path / "unpacked" / MOODLE / BOOK
    book.parent.mkdir(parents=True)
    book.write_bytes(ours(1))
    for words in ([], ["--file-times"]):
        said = collect(tmp_path / "unpacked", words=words)[1]
        assert "1 unchanged" in said and "No time" not in said
        assert times() == {"ada-softmax-1234567": "2026-11-20 10:00:00 UTC"}


def test_which_of_two_folders_counts_is_not_decided_by_the_files_times(collect, into, tmp_path):
    for name, when in (("a", 1_800_000_000), ("b", 1_700_000_000)):
        book = tmp_path / name / "ada" / BOOK
        book.parent.mkdir(parents=True)
        book.write_bytes(ours(name))
        os.utime(book, (when, when))
    collect(tmp_path / "a", tmp_path / "b")
    assert standing(into) == {"ada": ours("b")}


def test_moodles_times_are_read_in_the_courses_zone_with_a_sentence(collect, times, in_berlin):
    download = moodle_zip((2026, 10, 24, 15, 0, 0), (2026, 10, 26, 15, 0, 0))
    said = collect(download, zone=None)[1]
    assert list(times().values()) == ["2026-10-24 15:00:00 UTC", "2026-10-26 15:00:00 UTC"]
    assert "Times of the zip were read as UTC, the course's zone." in said and "--timezone" in said
    said = collect(download, zone="Europe/Berlin")[1]
    assert list(times().values()) == ["2026-10-24 13:00:00 UTC", "2026-10-26 14:00:00 UTC"]
    assert "as Europe/Berlin, as --timezone says" in said


def test_an_hour_that_is_there_twice_is_the_earlier_and_told(collect, times):
    download = moodle_zip((2026, 10, 25, 2, 30, 0), (2026, 3, 29, 2, 30, 0), (2026, 3, 1, 2, 0, 0))
    said = collect(download, zone="Europe/Berlin")[1]
    assert list(times().values())[:2] == ["2026-10-25 00:30:00 UTC", "2026-03-29 00:30:00 UTC"]
    assert "ada-softmax-10: 2026-10-25 02:30 was there twice, and the earlier is taken." in said
    assert "bda-softmax-11: 2026-03-29 02:30 was never there" in said
    assert "cda-softmax-12:" not in said


def test_a_time_that_is_still_to_come_is_told(collect):
    later = datetime.now(UTC) + 3 * DAY
    whens = [(2026, 11, 1, 9, 0, 0), later.timetuple()[:6]]
    said = collect(moodle_zip(*whens))[1]
    assert f"bda-softmax-11: {later:%Y-%m-%d %H:%M} UTC is still to come" in said
    assert "ada-softmax-10: " not in said


def test_times_are_printed_in_the_zone_that_is_given_or_the_courses(collect, copied, times):
    with (copied.course.root / "nbgrader_config.py").open("a") as file:
        file.write('c.LatePolicy.timezone = "Europe/Berlin"\n')
    inbound = f"inbound/{{}}+{ID}+{{}} UTC+x/{BOOK}"
    later = (datetime.now(UTC) + 3 * DAY).replace(microsecond=0)
    files = {inbound.format("ada", "2026-11-20 23:30:00"): ours()}
    files |= {inbound.format("ben", later.replace(tzinfo=None)): ours(1)}
    for zone, shown in (("Asia/Kolkata", "2026-11-21 05:00 IST"), (None, "2026-11-21 00:30 CET")):
        _, said = collect(files, zone=zone, words=["--course", str(copied.course.root)])
        to_come = texts.time_text(later, ZoneInfo(zone or "Europe/Berlin"))
        assert shown in said and f"ben: {to_come} is still to come." in said and " UTC" not in said
        assert times() == {"ada": "2026-11-20 23:30:00 UTC", "ben": f"{later:%F %T} UTC"}


def test_whom_canvas_calls_late_is_told_and_has_no_time(collect, into, times):
    files = {f"softmaxada_LATE_5_101_{BOOK}": ours(1), f"maskben_6_100_{BOOK}": ours(2)}
    said = collect(files)[1]
    assert "which does not say when: softmaxada-5. No penalty" in said
    assert set(times().values()) == {None} and late_by_word(into, ID) == {
        "maskben-6": False,
        "softmaxada-5": True,
    }
    collect({f"softmaxada_5_102_{BOOK}": ours(3)})
    assert late_by_word(into, ID)["softmaxada-5"] is False


def test_a_template_has_whom_canvas_calls_late_and_is_never_overwritten(collect, tmp_path):
    files = {f"softmaxada_LATE_5_101_{BOOK}": ours(1), f"maskben_6_100_{BOOK}": ours(2)}
    words = ["--late-template", str(tmp_path / "late.csv")]
    assert "has 1 student: fill in the times" in collect(files, words=words)[1]
    text = (tmp_path / "late.csv").read_text()
    assert text == f"student,assignment,submitted\nsoftmaxada-5,{ID},\n"
    status, said = collect(files, words=words)
    assert status == 2 and "is there already" in said
    assert (tmp_path / "late.csv").read_text() == text
    nobody = {f"maskben_6_100_{BOOK}": ours(2)}
    said = collect(nobody, words=["--late-template", str(tmp_path / "other.csv")])[1]
    assert "is not written: nobody is late" in said and not (tmp_path / "other.csv").exists()


def test_what_the_exchange_says_and_is_no_time_is_not_replaced_by_a_files(collect, times, into):
    said = collect(
        {f"submitted/ada/{ID}/{BOOK}": ours(), f"submitted/ada/{ID}/timestamp.txt": b"x"}
    )[1]
    assert times() == {"ada": None} and "exchange says is not a time: ada." in said
    assert [one["time_from"] for one in receipts(into)] == [
        "nobody: what nbgrader's exchange says is no time"
    ]
