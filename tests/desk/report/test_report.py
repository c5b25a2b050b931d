"""`report` from the command line: what it reads, what it says, what it leaves alone."""

import json
import re
from collections.abc import Callable
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
from typed_commands import refused, typed

from autograder.classroom.roster import Person

pytestmark = [pytest.mark.usefixtures("class_folder"), pytest.mark.slow]

OUT = Path("report.html")


def report(*words: str | Path, results: str = "results", status: int = 0) -> tuple[str, str]:
    """Report on a class; return what was printed, and what the page says without its tags."""
    ended, printed = typed("report", results, "--out", OUT, *words)
    assert ended == status, printed
    page = OUT.read_text()
    shown = re.sub(r"\s+", " ", re.sub(r"<[^>]*>", "", page[page.index("<body>") :]))
    return printed, shown


def test_a_page_says_nothing_of_single_students_unless_names_are_wanted():
    printed, shown = report("--csv", "numbers")
    assert "sheet-3: 3 verdicts, 2 of them graded" in printed
    assert "\n-> report.html\n" in printed and printed.endswith("-> numbers\n")
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
    assert [printed.strip() for printed in missing] == [DAN, ", ".join([ADA, BEN, CLEO])]
    _, shown = report("--names", "--assignment", "sheet-4")
    assert "sheet-3" not in shown and "not handed in" not in shown
    assert "sheet-4" not in report(results="results/sheet-3")[1]


def test_the_roster_says_who_is_missing_who_they_are_and_in_which_section():
    people = [Person(who, f"Name of {who}", section="Mon") for who in (ADA, BEN)]
    write_roster(Path("mine.csv"), [*people, Person(DAN, "Dan Token", section="<b>")])
    printed, shown = report("--roster", "mine.csv", "--names")
    assert "No section" not in printed and "1 not handed in" in shown and "Dan Token" in shown
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


def change(old: str, new: str) -> Callable[[], None]:
    """Change an earlier report."""

    def act() -> None:
        report()
        OUT.write_text(OUT.read_text().replace(old, new))

    return act


def link_it() -> None:
    report()
    OUT.rename("page.html")
    OUT.symlink_to("page.html")


OTHERS = {
    "empty": lambda: OUT.touch(),
    "a page of one's own": lambda: OUT.write_text("<html>mine</html>"),
    "another last line": lambda: OUT.write_text("<!-- python -m autograder report: 123 -->\n"),
    "no text": lambda: OUT.write_bytes(b"\xff"),
    "changed": change("<h1", "<h1 class='mine'"),
    "longer": change(" -->\n", " -->\nmore"),
    "a link": link_it,
}


@pytest.mark.parametrize("write", OTHERS.values(), ids=OTHERS)
def test_a_page_that_is_no_report_or_was_changed_stays(write):
    write()
    before = OUT.read_bytes()
    status, printed = typed("report", "results", "--out", OUT)
    assert status == 2 and "was not written by `report`" in printed
    assert OUT.read_bytes() == before
    assert "is a folder" in refused("report", "results", "--out", "results")


def test_an_earlier_report_is_replaced():
    out = ["--out", Path("new", "report.html")]
    assert typed("report", "results", *out)[0] == 0
    before = out[1].read_text()
    assert typed("report", "results", "--names", *out)[0] == 0
    last_line = out[1].read_text().splitlines()[-1]
    assert before != out[1].read_text() and "<!-- python -m autograder report: " in last_line


def test_tables_of_others_and_changed_ones_stay():
    Path("numbers").mkdir()
    mine, table = Path("numbers", "mine.csv"), Path("numbers", f"{ID}-points.csv")
    mine.write_text("mine")
    for _ in range(2):
        report("--csv", "numbers")
    table.write_text("changed")
    Path("numbers", f"{ID}-checks.csv").unlink()
    status, printed = typed("report", "results", "--out", OUT, "--csv", "numbers")
    assert status == 2 and f"{table}` was not written by `report`" in printed
    assert table.read_text() == "changed" and mine.read_text() == "mine"
    assert not Path("numbers", f"{ID}-checks.csv").exists(), "nothing is written"


def test_what_is_damaged_or_not_there_is_named_and_the_others_go_on():
    Path("nbgrader_config.py").unlink()
    printed, shown = report()
    assert "There is no course in" in printed and "Half of them have" in shown
    Path("results", ID, f"{BEN}.json").write_text('{"schema": 1')
    printed, shown = report(status=3)
    assert f"{BEN}.json` is no verdict" in printed
    assert "1 damaged Verdicts that cannot be used" in shown and BEN not in OUT.read_text()


PAIR = {"students": [ADA, CLEO], "share": 0.9, "by_chance": 0.5, "signs": ["one odd <name>"]}
LOOK_ALIKES = {"schema": 1, "assignment": ID, "pairs": [PAIR], "pages": "look-alikes.html"}
FILE = Path("results", ID, ".look-alikes.json")


def test_look_alikes_are_shown_with_signs_only_where_names_are():
    assert "Nobody has looked for" in report()[1]
    FILE.write_text(json.dumps(LOOK_ALIKES | {"identical": [[ADA, BEN]]}))
    _, shown = report()
    assert "90% in common; honest pairs reach 50%" in shown and "odd" not in shown
    _, shown = report("--names")
    assert f"one odd &lt;name&gt; {ADA}, {CLEO}" in shown and f"{ADA}, {BEN}" in shown
    FILE.write_text(json.dumps(LOOK_ALIKES | {"assignment": "another"}))
    _, shown = report()
    assert "is of another: put it where it belongs" in shown and "in common" not in shown


@pytest.mark.parametrize(
    "content",
    [
        "",
        "{",
        "[" * 100_000,
        *(
            json.dumps(LOOK_ALIKES | change)
            for change in (
                {"schema": 2},
                {"pairs": [PAIR | {"share": 1.5}]},
                {"pairs": [PAIR | {"students": ["ada"]}]},
                {"pairs": [PAIR | {"students": ["ada", "../ben"]}]},
                {"pages": "https://canary.example/x.html"},
                {"pages": "javascript:canary().html"},
            )
        ),
    ],
    ids="empty cut deep schema share one path address script".split(),
)
def test_look_alikes_that_are_not_as_agreed_are_left_out_and_named(content):
    FILE.write_text(content)
    _, shown = report()
    assert ".look-alikes.json cannot be read: run python -m autograder look-alikes again." in shown
    assert "in common" not in shown
