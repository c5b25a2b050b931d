"""Moodle's worksheet says when something was handed in; its zips have not since Moodle 4.1."""

from datetime import datetime

import pytest
from downloads import BOOK, ID, entry, ours, receipts, standing, timestamp
from hypothesis import given
from hypothesis import strategies as st

from autograder.platforms.download import NoDownload
from autograder.platforms.moodle_times import in_words, read_worksheet

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
    assert read_worksheet(worksheet(HEAD + rows)) == {
        "12": (datetime(2026, 11, 20, 15, 4), ""),
        "13": (None, ""),
    }


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
        read_worksheet(worksheet(text))


@pytest.fixture
def of_one_name(worksheet, tmp_path):
    """Two of one name in a roster, and what Moodle has of them: the download, and its worksheet."""
    roster = tmp_path / "roster.csv"
    roster.write_text("student,name,email\ns1,Ada Softmax,a1@x\ns2,Ada Softmax,a2@x\n")
    folders = [f"Ada Softmax_{number}_assignsubmission_file" for number in (11, 12)]
    when = [(2026, 11, 22, 9, 0, second) for second in range(2)]
    packed = [(entry(f"{folders[n]}/{BOOK}", when[n]), ours(n)) for n in range(2)]
    text = "Identifier,Email address,Last modified (submission),Grade\n" + "".join(
        f'Participant {number},{{}},"Friday, 20 November 2026, 3:0{number - 10} PM",\n'
        for number in (11, 12)
    )
    return packed, ["--roster", str(roster)], lambda *emails: worksheet(text.format(*emails))


def test_the_worksheets_address_says_which_of_two_of_one_name_it_is(collect, into, of_one_name):
    packed, words, sheet = of_one_name
    status, said = collect(packed, words=[*words, "--worksheet", str(sheet("a2@x", "A1@x"))])
    assert status == 0, said
    assert standing(into) == {"s2": ours(0), "s1": ours(1)}
    assert timestamp(into, "s1") == "2026-11-20 15:02:00 UTC"


@pytest.mark.parametrize("again", [False, True])
def test_what_was_said_of_times_is_kept_with_what_has_no_place(
    collect, into, of_one_name, tmp_path, again
):
    """`--resolve` as it is printed gives the times that the first run would have given."""
    packed, words, sheet = of_one_name
    given = [*words, "--worksheet", str(sheet("", ""))]
    zone = "Europe/Berlin"
    assert collect(packed, words=words if again else given, zone="UTC" if again else zone)[0] == 3
    if again:  # what is said later counts, and what is not said again is not forgotten
        assert collect(packed, words=given, zone=zone)[0] == 3
        assert collect(packed, words=words, zone=None)[0] == 3
    table = into / ".received" / ID / "not-placed.csv"
    lines = table.read_text().splitlines()
    choices = tmp_path / "choices.csv"
    choices.write_text("\n".join([lines[0], lines[1] + "s1", lines[2] + "s2"]) + "\n")
    status, said = collect(words=["--resolve", str(choices)], zone=None)
    assert status == 0 and "this machine's" not in said
    assert timestamp(into, "s1") == "2026-11-20 14:01:00 UTC"
    assert timestamp(into, "s2") == "2026-11-20 14:02:00 UTC"


def test_a_worksheet_may_be_given_when_it_is_resolved(collect, into, of_one_name, tmp_path):
    packed, words, sheet = of_one_name
    collect(packed, words=words)
    table = into / ".received" / ID / "not-placed.csv"
    lines = table.read_text().splitlines()
    table.write_text("\n".join([lines[0], lines[1] + "s1", lines[2]]) + "\n")
    collect(words=["--resolve", str(table), "--worksheet", str(sheet("", ""))])
    assert timestamp(into, "s1") == "2026-11-20 15:01:00 UTC"


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
