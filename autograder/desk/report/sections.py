"""Divide the results of a class by section: the tutorial groups in the roster's column `section`."""

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
    """The counts and points of one section; `mistake` is the one that cost its students most.
    `late`: how many students are late; `waiting`: how many written answers are to be marked, None
    if that is not known.
    """

    name: str
    students: int
    graded: int
    quarters: Quarters | None
    unreadable: int
    missing: int
    late: int
    waiting: int | None  # written answers to be marked
    mistake: MistakeInClass | None


def sections_in(results: ClassResults) -> list[Section]:
    """Return the results of each section, sorted by name, then those of students without a section;
    [] if the roster has no sections. Of more than MOST_SECTIONS sections, the last ones are counted
    as without a section.
    """
    if not any(results.sections.values()):
        return []
    groups: dict[str, set[str]] = defaultdict(set)
    for student in {verdict.student for verdict in results.verdicts} | results.expected:
        groups[printable(results.sections.get(student, ""), 60)].add(student)
    names = sorted(filter(None, groups), key=_by_number)[:MOST_SECTIONS]
    found = [_section(name, results.only(groups[name]), len(groups[name])) for name in names]
    rest = {student for name, who in groups.items() if name not in names for student in who}
    return [*found, _section(NO_SECTION, results.only(rest), len(rest))] if rest else found


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
