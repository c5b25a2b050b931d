"""Moodle's worksheet says when something was handed in; its zips have not since Moodle 4.1."""

from datetime import datetime

import pytest
from downloads import BOOK, entry, ours, receipts, timestamp
from hypothesis import given
from hypothesis import strategies as st

from autograder.platforms.download import NoDownload
from autograder.platforms.moodle_times import in_words, read_worksheet_times

HEAD = "Identifier,Full name,Grade,Last modified (submission)\n"
ROW = 'Participant {},Ada,,"{}"\n'


@pytest.mark.parametrize(
    ("text", "month", "hour"),
    [
        ("Friday, 20 November 2026, 3:04 PM", 11, 15),
        ("Friday, 20 November 2026, 12:04 AM", 11, 0),
        ("Friday, 20 March 2026, 12:04 PM", 3, 12),
        ("Freitag, 20. November 2026, 15:04", 11, 15),
        ("Freitag, 20. März 2026, 15:04", 3, 15),
        ("Sonntag, 20. Dezember 2026, 15:04", 12, 15),
        ("Wednesday, May 20, 2026, 3:04 PM", 5, 15),
        ("Mittwoch, 20. Mai 2026,\u202f15:04", 5, 15),
    ],
)
def test_a_time_in_english_or_german_words_is_read(text, month, hour):
    assert in_words(text) == datetime(2026, month, 20, hour, 4)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "yesterday",
        "20/11/2026, 15:04",
        "31 November 2026, 15:04",
        "20 Brumaire 2026, 15:04",
        "20 November 2026, 15:04 PM",
        "20 November 2026, 25:04",
    ],
)
def test_other_words_are_no_time(text):
    assert in_words(text) is None


@given(st.text(max_size=60))
def test_any_words_are_a_time_or_none(text):
    assert in_words(text) is None or in_words(text).year


@pytest.fixture
def worksheet(tmp_path):
    def write(text: str):
        path = tmp_path / "worksheet.csv"
        path.write_text(text, encoding="utf-8")
        return path

    return write


def test_the_worksheet_has_times_by_participant(worksheet):
    rows = ROW.format("0012", "Friday, 20 November 2026, 3:04 PM") + ROW.format(13, "-")
    assert read_worksheet_times(worksheet(HEAD + rows)) == {"12": datetime(2026, 11, 20, 15, 4)}


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (HEAD + ROW.format(12, "viernes, 20 de noviembre de 2026"), "row 2: `viernes, 20 de"),
        (HEAD + ROW.format(12, "\x1b[31mred"), r"row 2: `\\x1b\[31mred` is no time"),
        ("Identifier,Grade\nParticipant 12,\n", "says no times"),
        (HEAD, "has no rows"),
    ],
)
def test_a_worksheet_without_times_is_told(worksheet, text, sentence):
    with pytest.raises(NoDownload, match=sentence):
        read_worksheet_times(worksheet(text))


def test_collecting_with_the_worksheet_takes_its_times(collect, into, worksheet):
    names = "Ada Softmax_12_assignsubmission_file", "Ben Mask_13_assignsubmission_file"
    packed = [
        (entry(f"{name}/{BOOK}", (2026, 11, 22, 9, 0, second)), ours(second))
        for second, name in enumerate([*names, "Cleo Head_14_assignsubmission_file"])
    ]
    assert "--worksheet" in collect(packed)[1]
    rows = ROW.format(12, "Friday, 20 November 2026, 3:04 PM") + ROW.format(13, "-")
    words = ["--worksheet", str(worksheet(HEAD + rows))]
    for _ in range(2):
        status, said = collect(packed, words=words, zone="Europe/Berlin")
        assert status == 0 and "No time" not in said
        assert "known of ben-mask-13, cleo-head-14: nobody" in said
        assert timestamp(into, "ada-softmax-12") == "2026-11-20 14:04:00 UTC"
    assert {one["time_from"] for one in receipts(into, "ada-softmax-12")} == {
        "nobody: the times in the zip are those of its packing",
        "Moodle's worksheet, read as Europe/Berlin",
    }
    assert len(receipts(into, "ada-softmax-12")) == 2
