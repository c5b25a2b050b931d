"""Sections are compared by what the roster says, and nobody is left out."""

from autograder.desk.report.class_results import ClassResults
from autograder.desk.report.sections import NO_SECTION, sections_in


def test_every_student_is_in_one_section(twelve):
    found = sections_in(twelve)
    assert [one.name for one in found] == ["Mon 10", "Tue 14", NO_SECTION]
    assert [one.students for one in found] == [6, 6, 1]
    assert sum(one.graded for one in found) == len(twelve.graded)
    assert sum(one.late for one in found) == 1 and sum(one.missing for one in found) == 1
    assert [one.waiting for one in found] == [0, 6, 0]
    points = found[0].quarters
    assert points.first <= points.median <= points.third


def test_a_section_has_its_own_most_expensive_mistake(twelve):
    mine = {who for who, section in twelve.sections.items() if section == "Mon 10"}
    first = sections_in(twelve)[0]
    assert first.mistake and {*first.mistake.students} <= mine


def test_sections_are_in_the_order_of_their_numbers(twelve):
    names = "group 10", "group 2", "Mon", "9", "10", "group 2b"
    sections = {one.student: names[k % 6] for k, one in enumerate(twelve.verdicts)}
    found = sections_in(ClassResults("sheet", twelve.verdicts, sections=sections))
    assert [one.name for one in found] == ["9", "10", "Mon", "group 2", "group 2b", "group 10"]


def test_without_a_section_in_the_roster_there_is_none(twelve):
    assert sections_in(ClassResults("sheet", twelve.verdicts)) == []
    blank = dict.fromkeys((one.student for one in twelve.verdicts), "")
    assert sections_in(ClassResults("sheet", twelve.verdicts, sections=blank)) == []
