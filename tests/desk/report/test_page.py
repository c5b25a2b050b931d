"""The class report says what is so, to staff alone, and is made fast."""

import dataclasses
import re
import time
from html import unescape
from html.parser import HTMLParser
from statistics import mean, median

import msgspec
import pytest
from report_classes import ClassResults, a_class, page_of

from autograder.desk.look_alikes.file import LookAlikes

OURS = set(
    "html head meta title style body h1 h2 h3 p a code section div ul ol li b i strong span br "
    "details summary table thead tbody tr th td svg path rect text".split()
)


class Parsed(HTMLParser):
    """The elements of a page, its attributes, and its text."""

    def __init__(self, page: str):
        super().__init__()
        self.elements: list[str] = []
        self.attributes: list[tuple[str, str]] = []
        self.feed(page)
        body = re.sub(r"<style>.*?</style>|<[^>]*>", "", page, flags=re.S)
        self.text = re.sub(r"\s+", " ", unescape(body))

    def handle_starttag(self, tag, attributes):
        self.elements.append(tag)
        self.attributes += [(name, value or "") for name, value in attributes]


def text_of(*classes: ClassResults, names: bool = False) -> str:
    return Parsed(page_of(*classes, names=names)).text


def test_it_answers_six_questions_in_order(twelve):
    said = text_of(twelve)
    questions = [
        "How did it go?",
        "Which exercise and which check was hard?",
        "Which mistakes cost most?",
        "Who needs help?",
        "What did it look like by section?",
        "What changed since last time?",
    ]
    places = [said.index(question) for question in questions]
    assert places == sorted(places) and all(said.count(question) == 1 for question in questions)
    points = [verdict.points for verdict in twelve.graded]
    assert f"{len(points)} graded" in said and f"have {round(median(points), 2):g} of" in said
    assert "Mon 10" in said and "Tue 14" in said


def test_once_marks_are_in_final_points_have_a_picture_of_their_own(twelve):
    assert "Final points" not in text_of(twelve)
    totals = {"ada": 20.5, "ben": 17.0, "cleo": 3.0}
    said = text_of(dataclasses.replace(twelve, totals=totals, most=28.0))
    assert (
        "half of 3 students have 17 of 28 points or more; the middle half has 10 to 18.75" in said
    )


def test_who_needs_help_is_counted_on_top_and_explained_below(twelve):
    said = text_of(twelve)
    for count in ("1 not handed in", "6 to be marked by hand", "1 late", "2 in pairs that look"):
        assert said.count(count) == 2, count
    for why in (
        "6 written answers in all.",
        "That takes 2 points in all.",
        "90% in common; honest pairs reach 40%",
    ):
        assert said.count(why) == 1, why


def test_who_has_few_points_or_left_exercises_open_needs_help(twelve):
    change = msgspec.structs.replace
    first, second = twelve.graded[:2]
    untouched = [change(result, state="not_attempted") for result in first.exercises]
    first = change(first, points=0.0, exercises=untouched)
    stopped, *others = second.exercises
    results = [change(stopped, state="error"), *others]
    second = change(second, points=second.max_points, exercises=results)
    said = text_of(ClassResults("sheet", [first, second]), names=True)
    half = f"{first.max_points / 2:g} of {first.max_points:g}"
    name = stopped.id.replace("_", " ")
    for sentence in (
        f"1 with less than half of the points Fewer than {half}. {first.student} ",
        f"1 with an exercise not attempted every exercise {first.student} ",
        f"1 with an exercise that stopped with an error {name} {second.student} ",
    ):
        assert sentence in said


def test_the_hardest_exercise_and_the_hardest_check_are_told(twelve):
    shares, checks = {}, {}
    for id in twelve.exercises:
        results = [one for v in twelve.graded for one in v.exercises if one.id == id]
        written = [one for one in results if one.state != "not_attempted"]
        shares[id.replace("_", " ")] = mean(one.points / one.max_points for one in written)
        for each in zip(*(one.checks for one in written), strict=True):
            checks[each[0].sentence] = sum(check.passed for check in each)
    said = text_of(twelve)
    assert f"The hardest exercise: {min(shares, key=shares.get)}, " in said
    hardest = re.search(r"The hardest check: (.*?) \([a-z_]*\), which (\d+) of \d+ pass", said)
    assert checks[hardest[1]] == int(hardest[2])


def test_the_histogram_shows_everybody(twelve):
    page = page_of(twelve)
    plot = page[page.index("<svg") : page.index("</svg>")]
    counts = re.findall(r'text-anchor="middle">(\d+)<', plot)
    assert sum(map(int, counts)) == len(twelve.graded)
    assert plot.count("<rect") >= len(counts) > 1 and "median" in plot


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
    assert "<code>….ipynb</code> is no notebook." in without


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
    assert len(ids) == len(set(ids)) > 2
    links = {value[1:] for name, value in found.attributes if name in ("href", "xlink:href")}
    assert links <= set(ids)


def test_a_class_of_which_nothing_is_graded_has_a_page(twelve):
    changes = {"state": "unreadable", "points": 0.0, "exercises": [], "reason": "empty"}
    none = [msgspec.structs.replace(verdict, **changes) for verdict in twelve.verdicts[:3]]
    said = text_of(ClassResults(twelve.assignment, none), names=True)
    assert "0 graded 3 unreadable" in said and "Nobody is graded" in said
    assert "0 graded" in text_of(ClassResults(twelve.assignment, []))


def test_the_points_of_checks_add_up_to_those_of_their_exercise(twelve):
    page = page_of(twelve)
    shown = re.findall(r'(?:soft|number)">([\d.]+) points?\b', page)
    assert len(shown) > 10 and sum(map(float, shown)) == pytest.approx(
        2 * twelve.max_points, abs=0.01
    )  # exercises, checks
    assert not re.search(r"(?<![\d.])1 points", Parsed(page).text)


def test_what_staff_must_know_of_a_class_is_told(twelve, hostile):
    first, *others = twelve.verdicts
    stamp = msgspec.structs.replace(first.stamp, grader="newer", sandbox="practice")
    newer = msgspec.structs.replace(first, stamp=stamp)
    said = text_of(ClassResults("sheet", [newer, *others]))
    assert "made by 2 versions of the graders" in said and "1 of practice" in said
    assert "Nobody passes 2 checks:" in text_of(hostile)
    students = [verdict.student for verdict in twelve.verdicts[:2]]
    alike = LookAlikes(twelve.assignment, [students], [], "look-alikes.html")
    said = text_of(dataclasses.replace(twelve, alike=alike))
    assert "2 identical to others" in said and "look alike" not in said


@pytest.mark.slow
def test_a_thousand_students_take_seconds_and_less_than_three_megabytes(assignment):
    results = a_class(assignment, 1_000)
    begun = time.process_time()
    page = page_of(results, results, names=True)
    assert time.process_time() - begun < 8
    assert len(page.encode()) < 3_000_000
