"""Moodle takes back its worksheet and the pages; its worksheet says when something was handed in."""

import datetime
from pathlib import Path

import pytest
from downloads import BOOK, entry, ours, samples, standing, timestamp
from downloads import ID as COLLECTED
from exports import (
    ADA,
    BEN,
    CLEO,
    ID,
    UNSCALED,
    enroll,
    keep,
    made,
    moodle_assignment,
    rows,
    verdict,
    wrong,
)
from importers import ENGLISH, FRENCH, GERMAN, SPANISH
from msgspec.structs import replace

from autograder.engine import AutograderError
from autograder.platforms.moodle_worksheet import Participant, in_words, read_worksheet

pytestmark = pytest.mark.slow

NUMBERS = {ADA: "2000", BEN: "2001", CLEO: "2002"}
MORE = "Allow updating records that have been modified more recently"


@pytest.mark.parametrize(
    "words", [ENGLISH, GERMAN, FRENCH, SPANISH], ids=["English", "German", "French", "Spanish"]
)
def test_moodle_takes_back_its_worksheet_and_the_pages(export, words):
    enroll("moodle", NUMBERS)
    moodle = moodle_assignment(words=words)
    moodle.people["2003"] |= {"grade": 4.0, "comment": "Well."}
    said = export.into(moodle)
    folder = Path("results/sheet-3/export")
    assert [who.get("grade") for who in moodle.people.values()] == [10.0, 7.5, None, 4.0]
    assert f"<br> {UNSCALED.sentence}<br> [" in moodle.people["2001"]["comment"]
    assert "second part: 3.5 of 6" in moodle.people["2001"]["comment"]
    assert "its JSON is damaged" in moodle.people["2002"]["comment"]
    assert moodle.people["2003"]["comment"] == "Well."
    assert moodle.updated == (2, 3)
    assert "Updated 2 grades and 3 feedback instances." in said and MORE not in said
    assert (b",7.5," if words is ENGLISH else b'"7,5"') in (folder / "moodle.csv").read_bytes()
    moodle.take_feedback((folder / "moodle-feedback.zip").read_bytes())
    assert {number: list(files) for number, files in moodle.files.items()} == {
        number: ["feedback.html"] for number in ("2000", "2001", "2002")
    }
    assert b"By which number?" in moodle.files["2001"]["feedback.html"]


def test_nbgraders_page_goes_back_where_there_is_one(export):
    enroll("moodle", NUMBERS)
    Path("sheet.csv").write_bytes(moodle_assignment().export())
    theirs = Path("feedback", ADA, ID, "sheet-3.html")
    theirs.parent.mkdir(parents=True)
    theirs.write_text("<p>nbgrader's</p>")
    export("moodle", "--sheet", "sheet.csv")
    moodle = moodle_assignment()
    moodle.take_feedback(made("moodle-feedback.zip"))
    assert moodle.files["2000"]["feedback.html"] == b"<p>nbgrader's</p>"
    assert b"nbgrader" not in moodle.files["2001"]["feedback.html"]


def test_a_grade_that_goes_back_to_what_an_old_worksheet_says_is_uploaded(export):
    """Something else was sent since that worksheet was downloaded, and Moodle may have it."""
    enroll("moodle", NUMBERS)
    moodle = moodle_assignment()
    export.into(moodle)
    Path("sheet.csv").write_bytes(moodle.export())
    keep(verdict(BEN, 9.0))
    assert export("moodle", "--sheet", "sheet.csv")[0] == 0
    moodle.take(made("moodle.csv"), tick=True)
    assert moodle.people["2001"]["grade"] == 9.0
    keep(verdict(BEN, 7.5))
    for _ in range(2):  # also where it is exported twice before it is uploaded
        assert MORE in export("moodle", "--sheet", "sheet.csv")[1]
    moodle.take(made("moodle.csv"), tick=True)
    assert [moodle.people[number]["grade"] for number in ("2000", "2001")] == [10.0, 7.5]
    assert "7.5 of 10" in moodle.people["2001"]["comment"]


def test_without_a_sheet_moodle_gets_a_worksheet_from_the_roster(export):
    enroll("moodle", {ADA: "2000", BEN: "Participant 2001", CLEO: "2002"})
    status, said = export("moodle")
    assert status == 0 and "Made without a sheet" in said
    moodle = moodle_assignment()
    moodle.people["2001"] |= {"grade": 1.0, "modified": datetime.datetime(2026, 11, 3)}
    moodle.take(made("moodle.csv"))
    assert [who.get("grade") for who in moodle.people.values()] == [10.0, 1.0, None, None]


def test_grades_that_are_there_and_locked_rows_are_left_and_named(export):
    enroll("moodle", NUMBERS)
    moodle = moodle_assignment()
    moodle.people["2000"] |= {"changeable": "No", "comment": "Locked."}
    moodle.people["2002"] |= {"grade": 6.0}
    said = export.into(moodle)
    assert f"Left as the sheet has it: {ADA} (locked in Moodle), {CLEO} (6.00)." in said
    assert [who.get("grade") for who in moodle.people.values()] == [None, 7.5, 6.0, None]
    assert moodle.people["2000"]["comment"] == "Locked."


def test_a_second_export_has_only_the_rows_that_change(export):
    enroll("moodle", NUMBERS)
    moodle = moodle_assignment()
    moodle.people["2000"] |= {"comment": "<p>See <a href='x'>me</a>.</p><ul><li>a &lt; b</li></ul>"}
    export.into(moodle)
    for person in ("2000", "2001", "2002"):
        moodle.people[person]["modified"] = datetime.datetime(2026, 11, 28, 12, 56)
    comments = [who.get("comment") for who in moodle.people.values()]
    said = export.into(moodle)
    assert "Nothing changes in Moodle" in said and moodle.updated == (0, 0)
    assert made("moodle.csv").count(b"\n") == 1
    keep(verdict(BEN, 8.5))
    said = export.into(moodle)
    assert moodle.updated == (1, 1) and "Updated 1 grades and 1 feedback" in said
    assert "Moodle has graded 1 of these before" in said and MORE in said
    assert [row["Identifier"] for row in rows("moodle.csv")] == ["Participant 2001"]
    assert moodle.people["2001"]["comment"].count("total:") == 1
    assert [who.get("comment") for who in moodle.people.values()][2:] == comments[2:]
    assert moodle.people["2000"]["comment"].startswith("See me.<br> a &lt; b<br> Points by")


def test_a_comment_of_an_earlier_version_is_the_same_and_a_persons_words_stay(export):
    """Moodle writes line breaks as three blanks; the grade in its table has two decimals."""
    enroll("moodle", NUMBERS)
    keep(verdict(ADA, 6.66667))
    moodle = moodle_assignment()
    export.into(moodle)
    moodle.people["2000"] |= {"comment": moodle.people["2000"]["comment"].replace("<br> ", "\n")}
    export.into(moodle)
    assert moodle.updated == (0, 0) and moodle.people["2000"]["grade"] == 6.66667
    before = moodle.people["2000"]["comment"]
    moodle.people["2000"] |= {"comment": f"<p>Well done &lt;3</p>{before}<p>Ask me</p>"}
    keep(verdict(ADA, 7.0))
    export.into(moodle)
    now = moodle.people["2000"]["comment"]
    assert now.startswith("Well done &lt;3<br> Points by") and now.endswith("]<br> Ask me")
    assert "total: 7 of" in now and now.count("total:") == 1


def test_no_grade_goes_above_moodles_maximum(export):
    enroll("moodle", NUMBERS)
    keep(replace(verdict(ADA, 10.0), points=12.0, max_points=12.0))
    moodle = moodle_assignment()
    said = export.into(moodle)
    assert f"{ADA} (above Moodle's maximum)" in said and "Updated 1 grades and 3" in said
    assert "out of 10 points on the platform, these grades are out of 10 or 12" in said
    assert moodle.updated == (1, 3)


def test_another_assignments_worksheet_is_refused(export):
    enroll("moodle", {ADA: "1810040", BEN: "1810039"})
    Path("sheet.csv").write_bytes(moodle_assignment().export())
    assert "is of another assignment" in wrong(export, "moodle", "--sheet", "sheet.csv")
    enroll("moodle", NUMBERS)
    moodle = moodle_assignment()
    moodle.maximum = 30.0
    Path("sheet.csv").write_bytes(moodle.export())
    said = wrong(export, "moodle", "--sheet", "sheet.csv")
    assert "out of 30 points, and the grades of sheet-3 are out of 10: download the" in said


def test_a_grade_by_a_scale_and_other_languages_are_refused(export):
    enroll("moodle", NUMBERS)
    sheet = moodle_assignment().export()
    Path("sheet.csv").write_bytes(sheet.replace(b"Maximum grade", b"Scale"))
    assert "by a scale, not by points" in wrong(export, "moodle", "--sheet", "sheet.csv")
    Path("sheet.csv").write_bytes(sheet.replace(b",Grade,", b",Voto,"))
    said = wrong(export, "moodle", "--sheet", "sheet.csv")
    assert "in English, German, French or Spanish: it has no column `Grade`" in said


def test_moodle_without_any_number_asks_for_the_sheet(export):
    assert "give --sheet" in wrong(export, "moodle")


HEAD = "Identifier,Full name,Grade,Last modified (submission)\n"
ROW = 'Participant {},Ada,,"{}"\n'


@pytest.mark.parametrize("row", samples("moodle-times.tsv"), ids=lambda row: row["text"])
def test_a_time_in_the_words_of_four_languages_is_read_and_no_other(row):
    time = in_words(row["text"])
    assert (f"{time:%Y-%m-%d %H:%M}" if time else "") == row["time"]


@pytest.fixture
def worksheet(tmp_path):
    def write(text: str):
        path = tmp_path / "worksheet.csv"
        path.write_text(text, encoding="utf-8")
        return path

    return write


def test_rows_without_a_number_are_left_out_and_columns_may_be_missing(worksheet):
    rows = ROW.format("0012", "Friday, 20 November 2026, 3:04 PM") + ROW.format(13, "-")
    rows += ROW.format("", "Friday, 20 November 2026, 3:05 PM")
    time = datetime.datetime(2026, 11, 20, 15, 4)
    assert read_worksheet(worksheet(HEAD + rows)).participants == [
        Participant("12", "Ada", status="submitted", submitted_at=time),
        Participant("13", "Ada"),
    ]


STATUS = "Identifier,Status,Last modified (submission)\nParticipant 12,{},-\n"
FOUR = "English, German, French or Spanish. Download the worksheet in one of these languages"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (HEAD + ROW.format(12, "venerdì, 20 gennaio"), f"line 2: `venerdì, .* in {FOUR}"),
        (HEAD + ROW.format(12, "\x1b[31mred"), r"line 2: `\\x1b\[31mred` is not a time"),
        (STATUS.format("Inviato"), f"line 2: `Inviato` is not a time or a status in {FOUR}"),
        (STATUS.format("Reopened - Plazo ampliado hasta: soon"), "`soon` is not a time"),
        ("Identifier,Grade\nParticipant 12,\n", r"it has no column `Last modified \(submission\)`"),
        ("Identificativo,Valutazione\nPartecipante12,\n", "English, German, French or Spanish: it"),
        (HEAD, "has no rows: nobody is in it"),
        (
            HEAD + ROW.format(12, "-") + ROW.format("012", "-"),
            "several rows with the identifier `12`",
        ),
    ],
)
def test_a_worksheet_that_cannot_be_read_is_refused(worksheet, text, sentence):
    with pytest.raises(AutograderError, match=sentence):
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
    table = into.parent / f"unmatched-{COLLECTED}.csv"
    lines = table.read_text().splitlines()
    choices = tmp_path / "choices.csv"
    choices.write_text("\n".join([lines[0], lines[1] + "s1", lines[2] + "s2"]) + "\n")
    status, said = collect(words=["--resolve", str(choices)], zone=None)
    assert status == 0, said
    assert timestamp(into, "s1") == "2026-11-20 14:01:00 UTC"
    assert timestamp(into, "s2") == "2026-11-20 14:02:00 UTC"
