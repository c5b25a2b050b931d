"""What the class report says of one assignment."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby

from autograder.engine.process import PRACTICE
from autograder.engine.verdict import Verdict
from autograder.gradebook.check_cell import STATES
from autograder.patterns import Pattern
from autograder.report import tables
from autograder.report.class_results import ClassResults
from autograder.report.items import Item, check_items, exercise_items, state_counts
from autograder.report.mistakes import (
    MistakeInClass,
    gone_mistakes,
    losses,
    mistakes_in,
    together,
    unexplained,
)
from autograder.report.sections import sections_in
from autograder.report.statistics import median, quantile
from autograder.report.tables import NumberTable, bins
from autograder.text import printable

LECTURE = 5  # mistakes to talk about
MOST_NAMES = 200  # students that are listed in one place
FILE_NAME = Pattern(r"`[^`]*\.ipynb`")


@dataclass(frozen=True)
class Group:
    """Students of whom the same is said."""

    sentence: str
    students: list[str]


class AssignmentReport:
    """All that the page says of one assignment; `number` makes its ids its own."""

    def __init__(self, results: ClassResults, number: int, names: bool):
        self.results, self.number, self.names = results, number, names
        self.id = results.assignment
        self.points = [verdict.points for verdict in results.graded]
        self.middle = median(self.points)
        self.exercises = exercise_items(results)
        self.checks = check_items(results)
        self.states = state_counts(results)
        self.mistakes = mistakes_in(results)
        self.together, self.compared = together(self.mistakes, len(results.graded))
        self.unexplained = unexplained(results)
        self.gone = gone_mistakes(results)
        self.losses = losses(results)
        self.sections = sections_in(results)
        self.bins = bins(self.points, results.max_points)

    @property
    def lecture(self) -> list[MistakeInClass]:
        return self.mistakes[:LECTURE]

    @property
    def lecture_is_of_single_students(self) -> bool:
        return all(len(mistake.students) == 1 for mistake in self.lecture)

    @property
    def hardest(self) -> Item | None:
        """The exercise with the smallest share of its points, among several."""
        known = {one: one.share.value for one in self.exercises if one.share}
        return min(known, key=known.__getitem__) if len(known) > 1 else None

    @property
    def left_open(self) -> int:
        """How many students did not attempt an exercise."""
        return sum(one.students for one in self.losses if one.reason == STATES["not_attempted"])

    @property
    def quarters(self) -> tuple[float, float] | None:
        return (quantile(self.points, 0.25), quantile(self.points, 0.75)) if self.points else None

    @cached_property
    def checks_by_exercise(self) -> list[tuple[Item, list[Item]]]:
        named = {item.id: item for item in self.exercises}
        groups = groupby(self.checks, key=lambda item: item.exercise)
        return [(named[id], list(checks)) for id, checks in groups]

    @cached_property
    def nobody_fails(self) -> list[Item]:
        return [check for check in self.checks if check.everybody]

    @cached_property
    def nobody_passes(self) -> list[Item]:
        return [check for check in self.checks if check.nobody]

    @cached_property
    def backwards(self) -> list[Item]:
        """Checks that those pass who have fewer points elsewhere."""
        return [one for one in self.checks if one.discrimination and one.discrimination.high < 0]

    @cached_property
    def unreadable(self) -> list[Group]:
        return self._by_reason("unreadable")

    @cached_property
    def not_graded(self) -> list[Group]:
        return self._by_reason("not_graded")

    @cached_property
    def notes(self) -> list[Group]:
        every = self.results.verdicts
        return _groups((self._said(note, one), one.student) for one in every for note in one.notes)

    @property
    def noted(self) -> int:
        return len({student for group in self.notes for student in group.students})

    @cached_property
    def repairs(self) -> list[Group]:
        every = self.results.verdicts
        return _groups(
            (self._said(what, one), one.student) for one in every for what in one.repairs
        )

    @cached_property
    def stopped(self) -> dict[str, dict[str, list[str]]]:
        """By state in words and by exercise: whose code did not come to an answer."""
        found: dict[str, dict[str, list[str]]] = {}
        for state, said in STATES.items():
            students = {
                id: [
                    one.student
                    for one, result in self.results.results_of(id)
                    if result.state == state
                ]
                for id in self.results.exercises
            }
            if said and any(students.values()):
                found[said] = students
        return found

    @cached_property
    def late(self) -> list[tuple[str, str, float]]:
        """Student, sentence and cost of each late submission."""
        late = sorted(self.results.late.items())
        return [(who, one.sentence, one.points) for who, one in late if one.sentence]

    @cached_property
    def waiting(self) -> tuple[int, int] | None:
        """How many written answers are to be marked, of how many students."""
        if self.results.waiting is None:
            return None
        counts = [count for count in self.results.waiting.values() if count]
        return sum(counts), len(counts)

    @property
    def still_waiting(self) -> list[str]:
        """Of whom a written answer is to be marked."""
        return [who for who, count in (self.results.waiting or {}).items() if count]

    @property
    def practice(self) -> int:
        return sum(one.stamp.sandbox == PRACTICE for one in self.results.verdicts)

    @property
    def graders(self) -> int:
        """How many versions of the graders made these verdicts."""
        return len({verdict.stamp.grader for verdict in self.results.graded})

    @property
    def handed_in_again(self) -> int:
        """How many students had a mistake in an earlier submission that is gone."""
        return len({student for one in self.gone for student in one.gone})

    def example(self, mistake: MistakeInClass) -> str:
        return self.results.examples.get((mistake.exercise, mistake.id), "")

    def who(self, students: Iterable[str]) -> str:
        """Who they are, for a report with names; else nothing."""
        if not self.names:
            return ""
        shown = [self.name(student) for student in sorted(set(students))]
        more = len(shown) - MOST_NAMES
        return ", ".join(shown[:MOST_NAMES]) + (f", and {more} more" if more > 0 else "")

    def name(self, student: str) -> str:
        name = self.results.names.get(student, "")
        return f"{student} ({printable(name, 60)})" if name and name != student else student

    @cached_property
    def numbers(self) -> dict[str, NumberTable]:
        made = [
            tables.points_table(self.bins),
            tables.items_table("exercises", self.exercises, self.states),
            tables.items_table("checks", self.checks, self.states),
            tables.submissions_table(self._counts()),
            tables.losses_table(self.losses),
            tables.mistakes_table(self.mistakes, dict(self.results.examples), self.names),
            tables.unexplained_table(self.unexplained, self.names),
            tables.together_table(self.together),
            tables.gone_table(self.gone),
            tables.sections_table(self.sections),
        ]
        if self.names:
            made.append(tables.students_table(self.results.verdicts, dict(self.results.names)))
        return {table.name: table for table in made}

    def _counts(self) -> dict[str, int]:
        states = Counter(verdict.state for verdict in self.results.verdicts)
        return {
            "graded": states["graded"],
            "unreadable": states["unreadable"],
            "not graded": states["not_graded"],
            "not handed in": len(self.results.missing),
            "received and not placed": self.results.not_placed,
            "late": len(self.late),
            "with written answers to be marked": len(self.still_waiting),
            "noted": self.noted,
        }

    def _said(self, sentence: str, verdict: Verdict) -> str:
        """What is said of a submission; without names, nothing in it that tells whose it is."""
        if self.names:
            return sentence
        telling = [verdict.student, self.results.names.get(verdict.student, "")]
        who = "|".join(re.escape(word) for word in telling if word)
        return re.sub(
            rf"(?<!\w)(?:{who})(?!\w)",
            "…",
            FILE_NAME.sub("the notebook", sentence),
            flags=re.IGNORECASE,
        )

    def _by_reason(self, state: str) -> list[Group]:
        return _groups(
            (self._said(one.reason or "no reason is known", one), one.student)
            for one in self.results.verdicts
            if one.state == state
        )


def reports_of(classes: Sequence[ClassResults], names: bool) -> list[AssignmentReport]:
    """Return what there is to say of each assignment."""
    return [AssignmentReport(results, k, names) for k, results in enumerate(classes, start=1)]


def _groups(said: Iterable[tuple[str, str]]) -> list[Group]:
    by_sentence: dict[str, list[str]] = {}
    for sentence, student in said:
        by_sentence.setdefault(sentence, []).append(student)
    most_first = Counter({sentence: len(who) for sentence, who in by_sentence.items()})
    return [Group(sentence, by_sentence[sentence]) for sentence, _ in most_first.most_common()]
