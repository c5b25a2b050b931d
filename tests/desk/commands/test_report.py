"""`report` from the command line: what it reads, what it says, what it leaves alone."""

import json
import re
from pathlib import Path

import pytest
from exports import (
    ADA,
    BEN,
    CLEO,
    DAN,
    ID,
    enroll,
    enter,
    keep,
    receive_without_place,
    verdict,
)
from msgspec.structs import replace
from recorded import plant_roster
from rosters import write_roster
from typed_commands import typed

from autograder.classroom.roster import Person

pytestmark = [pytest.mark.usefixtures("class_folder"), pytest.mark.slow]

OUT = Path("report.html")


def report(*words: str | Path, results: str = "results", status: int = 0) -> tuple[str, str]:
    """Report on a class; return what was said, and what the page says without its tags."""
    ended, said = typed("report", results, "--out", OUT, *words)
    assert ended == status, said
    page = OUT.read_text()
    shown = re.sub(r"\s+", " ", re.sub(r"<[^>]*>", "", page[page.index("<body>") :]))
    return said, shown


def test_a_page_says_nothing_of_single_students_unless_names_are_wanted():
    said, shown = report("--csv", "numbers")
    assert "sheet-3: 3 verdicts, 2 of them graded" in said
    assert "\n-> report.html\n" in said and said.endswith("-> numbers\n")
    assert "The scores are not divided by" in shown and ADA not in OUT.read_text()
    tables = {path.name: path.read_text() for path in Path("numbers").glob("*.csv")}
    names = {f"{ID}-{name}.csv" for name in ("points", "exercises", "checks", "mistakes")}
    assert names <= tables.keys() and "unscaled" in tables[f"{ID}-mistakes.csv"]
    assert not any(BEN in table for table in tables.values())
    report("--csv", "numbers", "--names")
    assert BEN in Path("numbers", f"{ID}-mistakes.csv").read_text()


def test_of_several_assignments_each_says_who_is_missing_there_or_one_is_named():
    keep(replace(verdict(DAN, 9.0), assignment="sheet-4"))
    _, shown = report("--names")
    assert {"sheet-3", "sheet-4"} <= set(re.findall(r"sheet-\d", shown))
    missing = re.findall(r"\d not handed in Of those [a-z ]*? knows\. ([a-z, -]*)", shown)
    assert [said.strip() for said in missing] == [DAN, ", ".join([ADA, BEN, CLEO])]
    _, shown = report("--names", "--assignment", "sheet-4")
    assert "sheet-3" not in shown and "not handed in" not in shown
    assert "sheet-4" not in report(results="results/sheet-3")[1]


def test_the_roster_says_who_is_missing_who_they_are_and_in_which_section():
    people = [Person(who, f"Name of {who}", section="Mon") for who in (ADA, BEN)]
    write_roster(Path("mine.csv"), [*people, Person(DAN, "Dan Token", section="<b>")])
    said, shown = report("--roster", "mine.csv", "--names")
    assert "No section" not in said and "1 not handed in" in shown and "Dan Token" in shown
    assert "Mon" in shown and "without a section" in shown and "&lt;b&gt;" in shown
    assert f"1 not in the roster They have handed in. {CLEO}" in shown
    enroll("moodle", {ADA: "1", DAN: "4"})
    _, shown = report("--names")
    assert "Name of" not in shown and "Dan Token" in shown
    write_roster(Path("bare.csv"), [Person(ADA), Person(DAN)])
    assert "No section is in" in report("--roster", "bare.csv")[0]


def test_without_a_roster_it_is_the_one_that_collect_was_given():
    enroll("moodle", {ADA: "1", BEN: "2", CLEO: "3"})
    plant_roster(
        Path("submitted"), ID, [Person(who, section="Mon") for who in (ADA, BEN, CLEO, DAN)]
    )
    _, shown = report("--names")
    assert re.search(rf"1 not handed in Of [a-z -]* knows\. {DAN}", shown) and "Mon" in shown


def test_what_was_received_and_not_placed_is_not_missing():
    """Whoever sent it is found by what the platform says, as `collect` would find them."""
    people = [Person(who) for who in (ADA, BEN, CLEO, "eve")]
    people.append(Person(DAN, "Dan Token", "dan@uni.example"))
    write_roster(Path("mine.csv"), people)
    receive_without_place(Person("", "D. Token", "DAN@uni.example", "moodle", "7"))
    receive_without_place(Person("", "Nobody Inparticular"))
    _, shown = report("--roster", "mine.csv", "--names", "--csv", "numbers")
    assert "1 not handed in" in shown
    assert re.search(r"2 unmatched Of no grade [a-z -]* places them. dan-token", shown)
    assert "unmatched,2" in Path("numbers", f"{ID}-submissions.csv").read_text()


@pytest.mark.database
def test_the_gradebook_says_what_is_late_and_to_be_marked():
    enter({ADA: 10.0, BEN: 7.5}, by_hand={ADA: 3.0}, penalty={BEN: 1.5})
    _, shown = report()
    assert "1 to be marked by hand 1 written answer in all." in shown
    assert "1 late That takes 1.5 points in all." in shown
    assert "No gradebook was read" in report("--no-gradebook")[1]
    _, shown = report("--gradebook", "sqlite:///gradebook.db", "--names")
    assert f"The gradebook takes 1.5 points for being late. {BEN}" in shown


def test_a_page_of_somebody_else_stays_and_an_earlier_report_does_not():
    report()
    before = OUT.read_text()
    report("--names")
    assert OUT.read_text() != before
    OUT.write_text("my own page")
    status, said = typed("report", "results", "--out", OUT)
    assert status == 2 and "was not written by `report`" in said
    assert OUT.read_text() == "my own page"


def test_what_is_damaged_or_not_there_is_named_and_the_others_go_on():
    Path("nbgrader_config.py").unlink()
    said, shown = report()
    assert "There is no course in" in said and "Half of them have" in shown
    Path("results", ID, f"{BEN}.json").write_text('{"schema": 1')
    said, shown = report(status=3)
    assert f"{BEN}.json` is no verdict" in said
    assert "1 damaged Verdicts that cannot be used" in shown and BEN not in OUT.read_text()


def test_look_alikes_are_shown_and_damaged_ones_are_said():
    file = Path("results", ID, ".look-alikes.json")
    assert "Nobody has looked for" in report()[1]
    pair = {"students": [ADA, CLEO], "share": 0.9, "by_chance": 0.5, "signs": ["one odd <name>"]}
    file.write_text(json.dumps({"schema": 1, "assignment": ID, "pairs": [pair]}))
    _, shown = report()
    assert "90% in common; honest pairs reach 50%" in shown and "odd" not in shown
    _, shown = report("--names")
    assert f"one odd &lt;name&gt; {ADA}, {CLEO}" in shown
    file.write_text("{")
    assert "cannot be read" in report()[1]
