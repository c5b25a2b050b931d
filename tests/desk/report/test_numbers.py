"""`report --csv`: what mistakes cost a class, which are gone, where the points went, and each section."""

import csv
from pathlib import Path

import pytest
from exports import keep, keep_earlier
from invented_class import STAMP
from msgspec.structs import replace
from rosters import write_roster
from typed_commands import typed

from autograder import CheckResult, ExerciseResult, NamedMistake, Verdict
from autograder.classroom.roster import Person

pytestmark = [pytest.mark.usefixtures("class_folder"), pytest.mark.slow]
SHEET = "sheet"
UNSCALED = NamedMistake("unscaled", "The scores are not scaled.")
MASK = NamedMistake("mask_ignored", "The mask has no effect.")
SECTIONS = {
    **{"ada": "group 10", "ben": "group 2", "cleo": "9", "dan": "group 2b", "eva": "group 2"},
    **{"finn": "=Mon", "gia": "", "hugo": "10", "zoe": "9"},
}


def exercise(points: float, *mistakes: NamedMistake, state="answered") -> ExerciseResult:
    """Out of 4: two points for the shape, which are lost last."""
    shape = min(points, 2.0)
    checks = [
        CheckResult("test_shape", shape, 2.0, shape == 2, None if shape == 2 else "Which shape?"),
        CheckResult(
            "test_values", points - shape, 2.0, points == 4, None if points == 4 else "Why?"
        ),
    ]
    return ExerciseResult("attention", state, points, 4.0, checks, [*mistakes])


def verdict(student: str, *exercises: ExerciseResult, assignment=SHEET, stamp=STAMP) -> Verdict:
    points = sum(exercise.points for exercise in exercises)
    state, reason = ("graded", None) if exercises else ("unreadable", "It is empty.")
    result = points, 4.0, [*exercises], [], 0.1, stamp
    return Verdict(student, assignment, state, *result, reason=reason)


def grade(*arguments, **more) -> None:
    keep(verdict(*arguments, **more))


def numbers(table: str, *words: str, assignment: str = SHEET) -> list[dict[str, str]]:
    """The rows of a table of the report."""
    status, printed = typed("report", "--assignment", assignment, "--csv", "numbers", *words)
    assert status == 0, printed
    with Path("numbers", f"{assignment}-{table}.csv").open(newline="") as file:
        return list(csv.DictReader(file, strict=True))


def columns(rows: list[dict[str, str]], *names: str) -> list[tuple[str, ...]]:
    return [tuple(row[name] for name in names) for row in rows]


@pytest.fixture
def graded(class_folder) -> None:
    """A class of which each loses points for another reason; zoe handed in nothing."""
    grade("ada", exercise(4.0))
    grade("ben", exercise(2.0, UNSCALED))
    grade("cleo", exercise(1.0, UNSCALED, MASK))
    grade("dan", exercise(2.0))
    grade("eva", exercise(2.0))
    grade("finn", exercise(0.0, state="timed_out"))
    grade("gia", exercise(0.0, state="not_attempted"))
    grade("hugo")
    people = [Person(student, section=section) for student, section in SECTIONS.items()]
    write_roster(Path("roster.csv"), people)


ROSTER = "--roster", "roster.csv"


def test_a_mistake_costs_what_was_lost_and_several_in_an_exercise_share_it(graded):
    first, *known = numbers("mistakes", "--names", *ROSTER)
    assert columns(known, "mistake", "who", "points lost") == [
        ("unscaled", "ben cleo", "3.5"),
        ("mask_ignored", "cleo", "1.5"),
    ]
    assert columns([first], "check", "who", "points lost") == [("test_values", "dan eva", "4.0")]
    assert first["sentence"].endswith("this check failed: values. It asked: Why?")


def test_a_question_that_quotes_a_single_student_is_not_told(graded):
    grade("dan", exercise(2.0), assignment="alone")
    (mistake,) = numbers("mistakes", assignment="alone")
    assert mistake["sentence"].endswith("failed: values.") and mistake["students"] == "1"


def test_every_lost_point_has_one_reason(graded):
    lost = numbers("lost", *ROSTER)
    assert set(columns(lost, "why", "points lost", "students")) == {
        ("known mistakes", "5.0", "2"),
        ("no known mistake", "4.0", "2"),
        ("ran out of time", "4.0", "1"),
        ("not attempted", "4.0", "1"),
        ("unreadable", "4.0", "1"),
        ("not handed in", "4.0", "1"),
    }


def test_an_exercise_and_its_checks_count_those_who_attempted_it(graded):
    names = "attempted", "passed", "share of points"
    assert columns(numbers("exercises", *ROSTER), *names) == [("6", "1", "0.4583")]
    assert columns(numbers("checks", *ROSTER), "check", *names) == [
        ("test_shape", "6", "4", "0.6667"),
        ("test_values", "6", "1", "0.1667"),
    ]


def test_mistakes_of_earlier_submissions_are_gone_or_cannot_be_told():
    before = {"ada": [UNSCALED], "ben": [UNSCALED, MASK], "cleo": [UNSCALED], "dan": [UNSCALED]}
    for student, mistakes in before.items():
        stamp = replace(STAMP, submission="earlier")
        keep_earlier(verdict(student, exercise(1.0, *mistakes), stamp=stamp))
    grade("ada", exercise(4.0))
    grade("ben", exercise(4.0))
    grade("cleo", exercise(0.0, state="crashed"))
    grade("dan")
    assert columns(numbers("gone"), "mistake", "gone", "cannot be told") == [
        ("unscaled", "2", "2"),
        ("mask_ignored", "1", "0"),
    ]


def test_every_student_is_in_one_section_in_the_order_of_their_numbers(graded):
    sections = numbers("sections", *ROSTER)
    names = "section", "students", "graded", "unreadable", "not handed in"
    assert columns(sections, *names) == [
        ("9", "2", "1", "0", "1"),
        ("10", "1", "0", "1", "0"),
        ("'=Mon", "1", "1", "0", "0"),  # no formula
        ("group 2", "2", "2", "0", "0"),
        ("group 2b", "1", "1", "0", "0"),
        ("group 10", "1", "1", "0", "0"),
        ("without a section", "1", "1", "0", "0"),
    ]
    names = "a quarter has less", "median points", "a quarter has more"
    assert columns(sections[:2], *names) == [("1.0", "1.0", "1.0"), ("", "", "")]


def test_without_a_section_in_the_roster_there_is_none(graded):
    write_roster(Path("roster.csv"), [Person(student, section="") for student in SECTIONS])
    assert numbers("sections", *ROSTER) == []


@pytest.mark.parametrize(
    ("points", "most"), [([0.0, 24.0, 23.75, 12.0], 24.0), ([0.1, 0.3], 0.3), ([250.0], 250.0)]
)
def test_the_histogram_holds_everybody_once(points, most):
    for number, had in enumerate(points):
        result = ExerciseResult("attention", "answered", had, most, [], [])
        keep(Verdict(f"s{number}", SHEET, "graded", had, most, [result], [], 0.1, STAMP))
    bins = numbers("points")
    assert sum(int(row["students"]) for row in bins) == len(points) and len(bins) <= 25
    assert float(bins[0]["from points"]) == 0 and float(bins[-1]["to points"]) >= most


def test_the_quartiles_lie_between_the_points():
    for number, points in enumerate([4.0, 1.0, 2.0, 3.0, 0.0]):
        grade(f"s{number}", exercise(points))
    typed("report", "--assignment", SHEET)
    page = " ".join(Path("report.html").read_text().split())
    assert "Half of them have 2 of" in page and "the middle half has 1 to 3" in page
