"""Plots are part of their page: its colours, its text, ids of their own."""

import re
from xml.etree import ElementTree

import pytest
from report_classes import ODD

from autograder.report.plots import Row, _around_label, bars, histogram, intervals
from autograder.report.statistics import median, wilson
from autograder.report.tables import bins

POINTS = [3.0, 4.0, 4.5, 8.0, 10.0]


@pytest.fixture
def drawn() -> list[str]:
    rows = [Row(ODD, "60%", wilson(0.6, 12)), Row("second", "none")]
    boxes = [Row("Mon 10 \U0001f600 漢", "5 students", median(POINTS), (4, 8), (3, 10))]
    return [
        histogram("one", bins(POINTS, 10), median(POINTS), "points"),
        intervals("two", rows, 1, "shares", percent=True),
        intervals("three", boxes, 10, "sections", percent=False),
        bars("four", [(ODD, 3.0, "3 students"), ("none", 0.0, "0")], "losses"),
    ]


def test_a_plot_has_no_colour_font_or_id_of_its_own(drawn):
    for svg in drawn:
        assert "#" not in re.sub(r"(url\(|href=\")#(one|two|three|four)-", "", svg)
        assert "currentColor" in svg and "DejaVu" not in svg and "<style" not in svg
        ids = re.findall(r'\bid="([^"]*)"', svg)
        assert all(re.match("(one|two|three|four)-", id) for id in ids)


def test_a_plot_is_well_formed_and_its_text_is_text(drawn):
    links = 'xmlns:xlink="http://www.w3.org/1999/xlink"'
    for svg in drawn:
        tree = ElementTree.fromstring(svg.replace("<svg ", f"<svg {links} ", 1))
        assert not [one.tag for one in tree.iter() if one.tag in ("script", "image", "a")]
    assert "60%" in drawn[1] and "5 students" in drawn[2] and "median 4.5" in drawn[0]
    assert "<script" not in "".join(drawn) and "&lt;script" in drawn[3]


def test_the_line_of_the_median_leaves_the_count_above_its_bar_to_be_read():
    found = bins(POINTS, 10)
    bar = next(one for one in found if one.low <= 4.5 < one.high)
    below, above = _around_label(4.5, found, 2)
    assert below == (0, bar.students) and above[0] > bar.students + 0.2
    assert len(_around_label(1.5, found, 2)) == 1  # nobody is there


def test_the_bins_hold_everybody_once():
    for points, most in (([0.0, 24.0, 23.75, 12.0], 24.0), ([0.1, 0.3], 0.3), ([250.0], 250.0)):
        found = bins(points, most)
        assert sum(one.students for one in found) == len(points)
        assert found[0].low == 0 and found[-1].high >= most and len(found) <= 25
    assert bins([], 0.0) == []
