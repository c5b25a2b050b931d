"""Divide the results of a class by section, the tutorial groups in the roster's `section`."""

from collections import defaultdict
from dataclasses import dataclass

from autograder.desk.report.class_results import ClassResults
from autograder.desk.report.mistakes import MistakeInClass, mistakes_in
from autograder.desk.report.points import Quarters, quarters
from autograder.engine import Pattern, printable

NUMBER = Pattern(r"(\d+)")
NO_SECTION = "without a section"
MOST_SECTIONS = 100


@dataclass(frozen=True)
class Section:
    """The counts and points of a section."""

    name: str
    students: int
    graded: int
    quarters: Quarters | None
    unreadable: int
    missing: int
    late: int  # students
    waiting: int | None  # answers that need marking, None if not known
    mistake: MistakeInClass | None  # the most costly


def sections_in(results: ClassResults) -> list[Section]:
    """Return the results of each section by name, then those of students without a section. Return
    [] if the roster has no sections. Sections beyond MOST_SECTIONS count as no section.
    """
    if not any(results.sections.values()):
        return []
    groups: dict[str, set[str]] = defaultdict(set)
    for student in {verdict.student for verdict in results.verdicts} | results.expected:
        groups[printable(results.sections.get(student, ""), 60)].add(student)
    names = sorted(filter(None, groups), key=_by_number)[:MOST_SECTIONS]
    sections = [_section(name, results.only(groups[name]), len(groups[name])) for name in names]
    other_students = {
        student for name, students in groups.items() if name not in names for student in students
    }
    return (
        [*sections, _section(NO_SECTION, results.only(other_students), len(other_students))]
        if other_students
        else sections
    )


def _by_number(name: str) -> list[tuple[int, str]]:
    """Return a sort key for names that contain numbers: `group 2` comes before `group 10`."""
    return [(int(part), "") if part.isdecimal() else (0, part) for part in NUMBER.split(name)]


def _section(name: str, results: ClassResults, students: int) -> Section:
    return Section(
        name=name,
        students=students,
        graded=len(results.graded),
        quarters=quarters([verdict.points for verdict in results.graded]),
        unreadable=sum(verdict.state == "unreadable" for verdict in results.verdicts),
        missing=len(results.missing),
        late=sum(bool(late.sentence) for late in results.late.values()),
        waiting=None if results.waiting is None else sum(results.waiting.values()),
        mistake=next(iter(mistakes_in(results)), None),
    )
