"""The class report says what is so, to staff alone, and is made fast."""

import dataclasses
import re
import time
from html.parser import HTMLParser

import msgspec
import pytest
from report_classes import a_class

from autograder.look_alikes_file import LookAlikes
from autograder.report.assignment_report import reports_of
from autograder.report.class_results import ClassResults
from autograder.report.page import report_page

OURS = set(
    "html head meta title style body h1 h2 h3 p a code section div ul ol li b i strong span br "
    "details summary table thead tbody tr th td svg defs g path use clippath rect text".split()
)


class Parsed(HTMLParser):
    """The elements of a page, what each one says, and its attributes."""

    def __init__(self, page: str):
        super().__init__()
        self.elements: list[str] = []
        self.attributes: list[tuple[str, str]] = []
        self.words: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        self.elements.append(tag)
        self.attributes += [(name, value or "") for name, value in attributes]

    def handle_data(self, data):
        self.words.append(data)

    @property
    def text(self) -> str:
        return re.sub(r"\s+", " ", "".join(self.words))


def page_of(*classes: ClassResults, names: bool = False) -> str:
    return report_page(reports_of(classes, names))


def test_it_says_what_an_instructor_asks(twelve):
    said = Parsed(page_of(twelve)).text
    graded = len(twelve.graded)
    unreadable = sum(one.state == "unreadable" for one in twelve.verdicts)
    numbers = f"{graded} graded" + (f", {unreadable} unreadable" if unreadable else "")
    assert f"{numbers}, 1 not handed in" in said
    assert "1 pair that looks alike" in said
    assert "To say in the next lecture" in said and "6 written answers of 6 students" in said
    assert "1 submission late, which takes 2 points" in said
    assert "Two students: 90% in common; honest pairs reach 40%" in said
    assert "Mon 10" in said and "Tue 14" in said


def test_the_first_screen_says_which_exercise_is_hardest_and_how_many_left_one_open(twelve):
    shares = {}
    for id in twelve.exercises:
        results = [one for v in twelve.graded for one in v.exercises if one.id == id]
        written = [one.points / one.max_points for one in results if one.state != "not_attempted"]
        shares[id.replace("_", " ")] = sum(written) / len(written)
    said = Parsed(page_of(twelve)).text
    assert f"The hardest exercise: {min(shares, key=shares.get)}, " in said
    is_open = {v.student for v in twelve.graded for e in v.exercises if e.state == "not_attempted"}
    assert (f"{len(is_open)} student" in said and "left something open" in said) == bool(is_open)


def test_mistakes_that_single_students_made_are_told_so(twelve):
    single = "Each was made by a single student"
    of_one = dataclasses.replace(twelve, verdicts=twelve.graded[-1:])
    assert reports_of([of_one], False)[0].lecture and single in Parsed(page_of(of_one)).text
    again = [msgspec.structs.replace(one, student=f"{one.student}-2") for one in twelve.graded]
    twice = dataclasses.replace(twelve, verdicts=[*twelve.graded, *again])
    assert single not in Parsed(page_of(twice)).text


def test_without_names_nobody_is_named(twelve, hostile):
    named, without = page_of(twelve, names=True), page_of(twelve)
    for verdict in twelve.verdicts:
        assert verdict.student in named and verdict.student not in without
    assert "Name of" in named and "Name of" not in without
    assert "Two days late" in named and "Two days late" not in without


def test_a_file_or_an_id_in_a_sentence_tells_nobody_either(twelve):
    first = msgspec.structs.replace(
        twelve.verdicts[0],
        state="unreadable",
        reason="`Ada Lovelace.ipynb` is no notebook.",
        notes=["`student-000` is in the code of Name of student-000."],
    )
    results = ClassResults("sheet", [first, *twelve.verdicts[1:]], names=twelve.names)
    without, named = page_of(results), page_of(results, names=True)
    assert "Lovelace" in named and "Lovelace" not in without and "student-000" not in without
    assert "the notebook is no notebook." in without


def test_whatever_others_wrote_is_shown_and_does_nothing(hostile):
    for names in (True, False):
        page = page_of(hostile, hostile, names=names)
        found = Parsed(page)
        assert set(found.elements) <= OURS, set(found.elements) - OURS
        assert not [name for name, _ in found.attributes if name.startswith("on")]
        assert not [value for name, value in found.attributes if name in ("src", "srcset")]
        links = [value for name, value in found.attributes if name in ("href", "xlink:href")]
        assert links and all(link.startswith("#") for link in links)
        assert "\u202e" not in page and "\x1b" not in page
        assert "{{ 7 * 7 }}" in page and found.text.count("canary()") > 10


def test_ids_of_a_page_with_several_assignments_are_each_there_once(twelve, hostile):
    found = Parsed(page_of(twelve, hostile))
    ids = [value for name, value in found.attributes if name == "id"]
    assert len(ids) == len(set(ids)) > 50
    links = {value[1:] for name, value in found.attributes if name in ("href", "xlink:href")}
    assert links <= set(ids)


def test_a_class_of_which_nothing_is_graded_has_a_page(assignment):
    results = a_class(assignment, 3)
    none = [
        msgspec.structs.replace(one, state="unreadable", points=0.0, exercises=[], reason="empty")
        for one in results.verdicts
    ]
    said = Parsed(page_of(ClassResults(assignment.id, none), names=True)).text
    assert "0 graded, 3 unreadable" in said and "3 submissions unreadable" in said
    assert "0 graded" in Parsed(page_of(ClassResults(assignment.id, []))).text


def test_the_points_of_checks_add_up_to_those_of_their_exercise(twelve):
    page = page_of(twelve)
    shown = [float(one) for one in re.findall(r'<td data-label="points:">([\d.]+)</td>', page)]
    assert len(shown) > 10 and sum(shown) == pytest.approx(
        2 * twelve.max_points, abs=0.01
    )  # exercises, checks
    assert not re.search(r"(?<![\d.])1 points", Parsed(page).text)


def test_identical_files_are_told_where_no_pair_is(assignment):
    results = a_class(assignment, 3)
    alike = LookAlikes(assignment.id, [["student-000", "student-001"]], [], "look-alikes.html")
    said = Parsed(page_of(dataclasses.replace(results, alike=alike))).text
    assert "1 group of identical files" in said and "0 pairs" not in said


def test_checks_that_nobody_passes_are_shown_open(hostile):
    page = page_of(hostile)
    assert re.search(r'<details class="print" open><summary>Nobody passes: 2 checks', page)


def test_verdicts_of_several_graders_or_of_practice_are_told(twelve):
    stamp = msgspec.structs.replace(twelve.verdicts[0].stamp, grader="newer", sandbox="practice")
    newer = msgspec.structs.replace(twelve.verdicts[0], stamp=stamp)
    said = Parsed(page_of(ClassResults("sheet", [newer, *twelve.verdicts[1:]]))).text
    assert "made by 2 versions of the graders" in said and "1 verdict of practice" in said


@pytest.mark.slow
def test_a_thousand_students_take_seconds_and_less_than_three_megabytes(assignment):
    results = a_class(assignment, 1_000)
    begun = time.process_time()
    page = page_of(results, results, names=True)
    assert time.process_time() - begun < 8
    assert len(page.encode()) < 3_000_000
