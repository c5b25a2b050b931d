"""`ClassResults`, the data of the class report: the verdicts on one assignment, and what roster,
gradebook and look-alikes say about it.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from autograder.desk.inquiries.deciders import Markers
from autograder.desk.look_alikes.file import LookAlikes
from autograder.engine import Verdict, verdicts
from autograder.gradebook.inquiries import Inquiry

ExerciseResult = verdicts.ExerciseResult


@dataclass(frozen=True)
class Late:
    """A student's late penalty in the gradebook (`points`), and a sentence on how it was
    calculated; the sentence is "" for a submission in time.
    """

    points: float
    sentence: str


@dataclass(frozen=True)
class ClassResults:
    """All known results of one assignment. All mappings are by student."""

    assignment: str
    verdicts: Sequence[Verdict]
    damaged: Sequence[str] = ()  # a sentence for each file that is no verdict
    expected: frozenset[str] = frozenset()  # of whom a submission is expected
    unmatched: int = 0  # received, and of nobody yet
    senders: frozenset[str] = frozenset()  # those of the expected of whom some of that is
    names: Mapping[str, str] = field(default_factory=dict)
    sections: Mapping[str, str] = field(default_factory=dict)
    late: Mapping[str, Late] = field(default_factory=dict)
    waiting: Mapping[str, int] | None = None  # written answers to be marked; None: not known
    totals: Mapping[str, float] = field(
        default_factory=dict
    )  # final, of those who wait for no mark
    most: float = 0.0  # that a total can be
    inquiries: Sequence[Inquiry] = ()
    marked: Markers = field(default_factory=dict)  # who has marked what they are about
    alike: LookAlikes | None = None
    alike_damaged: str = ""

    @cached_property
    def graded(self) -> list[Verdict]:
        return [verdict for verdict in self.verdicts if verdict.state == "graded"]

    @cached_property
    def practice(self) -> list[Verdict]:
        """The graded verdicts that were made without a sandbox."""
        return [verdict for verdict in self.graded if verdict.is_practice]

    @cached_property
    def missing(self) -> list[str]:
        """The expected students from whom nothing was received."""
        received = {verdict.student for verdict in self.verdicts} | self.senders
        return sorted(self.expected - received)

    @cached_property
    def not_in_roster(self) -> list[str]:
        """The students who have a verdict but are not expected; [] if no roster is known."""
        students = [verdict.student for verdict in self.verdicts]
        return [one for one in students if one not in self.expected] if self.expected else []

    @cached_property
    def max_points(self) -> float:
        return max((verdict.max_points for verdict in self.verdicts), default=0.0)

    @cached_property
    def exercises(self) -> list[str]:
        """The ids of the exercises in graded verdicts, in the order of the verdict that has most of
        them; those that it does not have come last.
        """
        longest = max(self.graded, key=lambda one: len(one.exercises), default=None)
        first = [result.id for result in longest.exercises] if longest else []
        rest = (result.id for verdict in self.graded for result in verdict.exercises)
        return list(dict.fromkeys([*first, *rest]))

    def results_of(self, exercise: str) -> list[tuple[Verdict, ExerciseResult]]:
        """Return, for each graded student, the verdict and its result in the exercise with this id."""
        return self._by_exercise.get(exercise, [])

    def only(self, students: Iterable[str]) -> "ClassResults":
        """Return the results of these students only, such as the ones in a section, without what
        says who they are or what concerns the whole class: names, sections, damaged files and
        look-alikes.
        """
        chosen = frozenset(students)
        return ClassResults(
            assignment=self.assignment,
            verdicts=[one for one in self.verdicts if one.student in chosen],
            expected=self.expected & chosen,
            unmatched=len(self.senders & chosen),
            senders=self.senders & chosen,
            inquiries=[one for one in self.inquiries if one.student in chosen],
            marked=self.marked,
            late={who: late for who, late in self.late.items() if who in chosen},
            waiting=None
            if self.waiting is None
            else {who: count for who, count in self.waiting.items() if who in chosen},
        )

    @cached_property
    def _by_exercise(self) -> dict[str, list[tuple[Verdict, ExerciseResult]]]:
        found: dict[str, list[tuple[Verdict, ExerciseResult]]] = {}
        for verdict in self.graded:
            for result in verdict.exercises:
                found.setdefault(result.id, []).append((verdict, result))
        return found
