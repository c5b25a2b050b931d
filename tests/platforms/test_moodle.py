"""Moodle takes back its worksheet and the pages; its worksheet says when something was handed in."""

import datetime
from pathlib import Path

import pytest
from downloads import BOOK, entry, ours, receipts, standing, timestamp
from downloads import ID as COLLECTED
from exports import ADA, BEN, CLEO, ID, UNSCALED, enroll, enter, made, moodle_assignment, wrong
from hypothesis import given
from hypothesis import strategies as st
from importers import GERMAN

from autograder.files.csv_text import TableError
from autograder.platforms.moodle import in_words, read_worksheet
from autograder.text.errors import CommandError


@pytest.mark.parametrize("words", [{}, {"words": GERMAN}], ids=["English", "German"])
def test_moodle_takes_back_its_worksheet_and_the_pages(export, words):
    moodle = moodle_assignment(**words)
    moodle.people["2003"] |= {"grade": 4.0, "comment": "Well."}
    export.into(moodle)
    folder = Path("results/sheet-3/export")
    assert [who.get("grade") for who in moodle.people.values()] == [10.0, 7.5, None, 4.0]
    assert UNSCALED.sentence in moodle.people["2001"]["comment"]
    assert "second part: 3.5 of 6" in moodle.people["2001"]["comment"]
    assert "its JSON is damaged" in moodle.people["2002"]["comment"]
    assert moodle.people["2003"]["comment"] == "Well."
    assert (b'"7,5"' if words else b",7.5,") in (folder / "moodle.csv").read_bytes()
    moodle.take_feedback((folder / "moodle-feedback.zip").read_bytes())
    assert {number: list(files) for number, files in moodle.files.items()} == {
        number: ["feedback.html"] for number in ("2000", "2001", "2002")
    }
    assert b"By which number?" in moodle.files["2001"]["feedback.html"]


def test_nbgraders_page_goes_back_where_there_is_one(export):
    Path("sheet.csv").write_bytes(moodle_assignment().export())
    theirs = Path("feedback", ADA, ID, "sheet-3.html")
    theirs.parent.mkdir(parents=True)
    theirs.write_text("<p>nbgrader's</p>")
    export("moodle", "--sheet", "sheet.csv")
    moodle = moodle_assignment()
    moodle.take_feedback(made("moodle-feedback.zip"))
    assert moodle.files["2000"]["feedback.html"] == b"<p>nbgrader's</p>"
    assert b"nbgrader" not in moodle.files["2001"]["feedback.html"]


def test_without_a_sheet_moodle_gets_a_worksheet_from_the_roster(export):
    enroll("moodle", {ADA: "2000", BEN: "Participant 2001", CLEO: "2002"})
    status, said = export("moodle")
    assert status == 0 and "Made without a sheet" in said
    moodle = moodle_assignment()
    moodle.people["2001"] |= {"grade": 1.0, "modified": datetime.datetime(2026, 11, 3)}
    moodle.take(made("moodle.csv"))
    assert [who.get("grade") for who in moodle.people.values()] == [10.0, 1.0, None, None]


def test_grades_that_are_there_and_locked_rows_are_left_and_named(export):
    moodle = moodle_assignment()
    moodle.people["2000"] |= {"changeable": "No", "comment": "Locked."}
    moodle.people["2002"] |= {"grade": 6.0}
    said = export.into(moodle)
    assert f"Left as the sheet has it: {ADA} (locked in Moodle), {CLEO} (6.00)." in said
    assert [who.get("grade") for who in moodle.people.values()] == [None, 7.5, 6.0, None]
    assert moodle.people["2000"]["comment"] == "Locked."


def test_grades_above_moodles_maximum_are_named(export):
    enter({ADA: 10.0, BEN: 7.5}, by_hand={ADA: 4.0}, penalty={})
    Path("sheet.csv").write_bytes(moodle_assignment().export())
    _, said = export("moodle", "--sheet", "sheet.csv")
    assert f"Moodle passes over grades above its maximum: {ADA}." in said
    assert "is out of 10 points on the platform, these grades are out of 14" in said


def test_moodle_without_any_number_asks_for_the_sheet(export):
    assert "give --sheet" in wrong(export, "moodle")


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
    assert in_words(text) == datetime.datetime(2026, month, 20, hour, 4)


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
    rows += ROW.format("", "Friday, 20 November 2026, 3:05 PM")  # is nobody's
    assert read_worksheet(worksheet(HEAD + rows)) == {
        "12": (datetime.datetime(2026, 11, 20, 15, 4), ""),
        "13": (None, ""),
    }


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (HEAD + ROW.format(12, "viernes, 20 de noviembre de 2026"), "line 2: `viernes, 20 de"),
        (HEAD + ROW.format(12, "\x1b[31mred"), r"line 2: `\\x1b\[31mred` is no time"),
        ("Identifier,Grade\nParticipant 12,\n", "says no times"),
        (HEAD, "has no rows"),
    ],
)
def test_a_worksheet_without_times_is_told(worksheet, text, sentence):
    with pytest.raises(TableError, match=sentence):
        read_worksheet(worksheet(text))


def test_a_worksheet_with_two_rows_of_one_participant_is_refused(worksheet):
    rows = ROW.format(12, "Friday, 20 November 2026, 3:04 PM") + ROW.format("012", "-")
    with pytest.raises(CommandError, match="several rows with the identifier `12`"):
        read_worksheet(worksheet(HEAD + rows))


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
    table = into / ".received" / COLLECTED / "not-placed.csv"
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
    table = into / ".received" / COLLECTED / "not-placed.csv"
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
