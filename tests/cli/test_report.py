"""`report` from the command line: what it reads, what it says, what it leaves alone."""

import json
import re
from pathlib import Path

import msgspec
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
    write_class,
)
from invented_class import STAMP

from autograder.authoring.sample_class import SampleSubmission, solutions, write_submission
from autograder.cli.main import main
from autograder.engine.assignment import GraderError
from autograder.engine.submission import read_submission
from autograder.engine.verdict import ExerciseResult, NamedMistake, Verdict, write_verdict
from autograder.people import Person, write_roster

OUT = Path("report.html")


@pytest.fixture
def report(tmp_path, monkeypatch, capfd):
    """Report on a class of three; return the exit status and what was said."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("nbgrader.api.get_alembic_version", lambda: "0")  # starts a program
    write_class()

    def run(*words: str | Path) -> tuple[int, str]:
        status = main(["report", "results", "--out", str(OUT), *map(str, words)])
        return status, "".join(capfd.readouterr())

    return run


def shown() -> str:
    """What the page says, without its tags."""
    page = OUT.read_text()
    return re.sub(r"\s+", " ", re.sub(r"<[^>]*>", "", page[page.index("<body>") :]))


def test_it_writes_a_page_and_says_where(report):
    status, said = report()
    assert status == 0 and "sheet-3: 3 verdicts, 2 of them graded" in said
    assert said.endswith("-> report.html\n")
    assert "The scores are not divided by" in shown() and ADA not in OUT.read_text()


def test_several_assignments_are_in_one_page_or_one_is_named(report):
    keep(msgspec.structs.replace(verdict(DAN, 9.0), assignment="sheet-4"))
    report()
    assert {"sheet-3", "sheet-4"} <= set(re.findall(r"sheet-\d", shown()))
    report("--assignment", "sheet-4")
    assert "sheet-3" not in shown()
    assert main(["report", "results/sheet-3", "--out", str(OUT)]) == 0
    assert "sheet-4" not in shown()


def test_the_roster_says_who_is_missing_who_they_are_and_in_which_section(report):
    people = [Person(who, f"Name of {who}", section="Mon") for who in (ADA, BEN)]
    write_roster(Path("mine.csv"), [*people, Person(DAN, "Dan Token", section="<b>")])
    status, said = report("--roster", "mine.csv", "--names")
    assert status == 0 and "No section" not in said
    assert "1 not handed in" in shown() and "Dan Token" in shown()
    assert "Mon" in shown() and "without a section" in shown() and "&lt;b&gt;" in shown()
    enroll("moodle", {ADA: "1", DAN: "4"})
    report("--names")
    assert "Name of" not in shown() and "Dan Token" in shown()
    assert "No section is in" in report("--roster", "submitted/.received/sheet-3/roster.csv")[1]


def test_who_handed_in_one_assignment_and_not_the_other_is_missing_there(report):
    keep(msgspec.structs.replace(verdict(DAN, 9.0), assignment="sheet-4"))
    report("--names")
    missing = re.findall(r"\d not handed in, of those [a-z ]*? knows ([a-z, -]*)", shown())
    assert [said.strip() for said in missing] == [DAN, ", ".join([ADA, BEN, CLEO])]
    report("--names", "--assignment", "sheet-4")
    assert "not handed in" not in shown()


def test_what_was_received_and_not_placed_is_not_missing(report):
    """Whoever sent it is found by what the platform says, as `collect` would find them."""
    people = [Person(who) for who in (ADA, BEN, CLEO, "eve")]
    people.append(Person(DAN, "Dan Token", "dan@uni.example"))
    write_roster(Path("mine.csv"), people)
    receive_without_place(Person("", "D. Token", "DAN@uni.example", "moodle", "7"))
    receive_without_place(Person("", "Nobody Inparticular"))
    report("--roster", "mine.csv", "--names")
    assert "1 not handed in" in shown() and "2 not placed" in shown()
    assert re.search(r"2 received and not placed, [a-z -]* places them dan-token", shown())
    report("--roster", "mine.csv", "--csv", "numbers")
    assert "received and not placed,2" in Path("numbers", f"{ID}-submissions.csv").read_text()


def test_who_is_not_in_the_roster_is_told(report):
    write_roster(Path("mine.csv"), [Person(ADA)])
    report("--roster", "mine.csv", "--names")
    assert f"2 handed in and not in the roster {BEN}, {CLEO}" in shown()


@pytest.mark.database
def test_the_gradebook_says_what_is_late_and_to_be_marked(report):
    enter({ADA: 10.0, BEN: 7.5}, by_hand={ADA: 3.0}, penalty={BEN: 1.5})
    assert report()[0] == 0
    assert "1 written answer of 1 student still to be marked" in shown()
    assert "1 submission late, which takes 1.5 points" in shown()
    report("--no-gradebook")
    assert "No gradebook was read" in shown()
    assert report("--gradebook", "sqlite:///gradebook.db", "--names")[0] == 0
    assert f"{BEN}: The gradebook takes 1.5 points" in shown()


def test_the_numbers_are_written_as_csv(report):
    status, said = report("--csv", "numbers")
    assert status == 0 and "-> numbers" in said
    names = {path.name for path in Path("numbers").glob("*.csv")}
    assert {f"{ID}-{name}.csv" for name in ("points", "exercises", "checks", "mistakes")} <= names
    assert "unscaled" in Path("numbers", f"{ID}-mistakes.csv").read_text()
    assert not any(BEN in path.read_text() for path in Path("numbers").glob("*.csv"))
    report("--csv", "numbers", "--names")
    assert BEN in Path("numbers", f"{ID}-mistakes.csv").read_text()


def test_nothing_but_an_earlier_report_is_written_over(report):
    assert report()[0] == 0 and report()[0] == 0
    OUT.write_text("my own page")
    status, said = report()
    assert status == 2 and said.count("\n") == 1 and "was not written by `report`" in said
    assert OUT.read_text() == "my own page"


def test_wrong_usage_is_said_in_a_sentence(report):
    for words, sentence in (
        (["--assignment", "other"], "No verdicts of `other`"),
        (["--roster", "nowhere.csv"], "There is no roster"),
        (["--course", "results"], "is no nbgrader course"),
        (["--gradebook", "sqlite:///nowhere.db"], "There is no gradebook"),
    ):
        status, said = report(*words)
        assert status == 2 and sentence in said and said.count("\n") == 1
        assert not OUT.exists()
    assert main(["report", "nowhere", "--out", "x.html"]) == 2
    assert main(["report", "results"]) == 2


def test_a_damaged_verdict_is_named_and_the_others_go_on(report):
    Path("results", ID, f"{BEN}.json").write_text('{"schema": 1')
    status, said = report()
    assert status == 3 and f"{BEN}.json` is no verdict" in said
    assert "1 file among the verdicts cannot be used" in shown() and BEN not in OUT.read_text()


def test_look_alikes_are_shown_and_damaged_ones_are_said(report):
    file = Path("results", ID, ".look-alikes.json")
    assert report()[0] == 0 and "Nobody has looked for" in shown()
    pair = {"students": [ADA, CLEO], "share": 0.9, "by_chance": 0.5, "signs": ["one odd <name>"]}
    file.write_text(json.dumps({"schema": 1, "assignment": ID, "pairs": [pair]}))
    report()
    assert "90% in common; honest pairs reach 50%" in shown() and "odd" not in shown()
    report("--names")
    assert f"{ADA}, {CLEO}: 90%" in shown().replace("(", "").replace(")", "")
    assert "one odd &lt;name&gt;" in shown()
    file.write_text("{")
    assert report()[0] == 0 and "cannot be read" in shown()


def test_without_a_course_there_is_a_report_without_examples(report):
    Path("nbgrader_config.py").unlink()
    status, said = report()
    assert status == 0 and "There is no course in" in said and "Half of them have" in shown()


@pytest.fixture
def handed_in(report, assignment, tmp_path) -> list[str | Path]:
    """A submission with a wrong scale, and its verdict; return how to report on it."""
    scores = "math.sqrt(query.size(-1))"
    cell = assignment.solutions["attention"].replace(f"/ {scores}", "/ query.size(-1)  # by Ada")
    path = tmp_path / "submitted" / "s1" / assignment.id
    notebook = write_submission(
        assignment, path, SampleSubmission(solutions(assignment) | {"attention": cell}, "")
    )
    read = read_submission(assignment, "s1", notebook)
    stamp = msgspec.structs.replace(STAMP, submission=read.hash)
    made = [NamedMistake("wrong_scale", "Which number?")]
    result = ExerciseResult("attention", "answered", 3.0, 4.0, [], made)
    one = Verdict("s1", assignment.id, "graded", 3.0, 4.0, [result], [], 0.1, stamp)
    write_verdict(Path("results", assignment.id, "s1.json"), one)
    words = ["--course", assignment.course.root, "--submitted", "submitted", "--no-gradebook"]
    return ["--assignment", assignment.id, *words]


def test_a_line_of_code_is_shown_of_a_submission(report, handed_in):
    status, said = report(*handed_in)
    assert status == 0 and "1 line of code as example." in said
    assert "scores = query @ key.transpose(-2, -1) / query.size(-1)" in shown()
    assert "by Ada" not in OUT.read_text()


def test_a_grader_that_is_broken_costs_the_examples_and_not_the_report(
    report, handed_in, monkeypatch
):
    def broken(assignment):
        raise GraderError("`mistakes.py` cannot be imported")

    monkeypatch.setattr("autograder.report.example_lines.mistakes", broken)
    status, said = report(*handed_in)
    assert status == 0 and "No example of code for encoder-layer: `mistakes.py` cannot" in said
    assert "Which number?" in shown()
