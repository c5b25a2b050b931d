"""`ClassResults`, the data of the class report: the verdicts on an assignment, and data of roster,
gradebook and similar submissions.
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
    """A student's late penalty in the gradebook."""

    points: float
    sentence: str  # on its calculation, "" for a submission in time


@dataclass(frozen=True)
class ClassResults:
    """All known results of an assignment. All mappings are by student."""

    assignment: str
    verdicts: Sequence[Verdict]
    damaged: Sequence[str] = ()  # a sentence for each invalid verdict file
    expected: frozenset[str] = frozenset()  # students who should submit
    unmatched: int = 0  # received files without a student
    senders: frozenset[str] = frozenset()  # expected students who sent some of these
    names: Mapping[str, str] = field(default_factory=dict)
    sections: Mapping[str, str] = field(default_factory=dict)
    late: Mapping[str, Late] = field(default_factory=dict)
    waiting: Mapping[str, int] | None = None  # answers that need marking; None: not known
    # final points, of students without open answers
    totals: Mapping[str, float] = field(default_factory=dict)
    most: float = 0.0  # maximum of a total
    inquiries: Sequence[Inquiry] = ()
    marked: Markers = field(default_factory=dict)  # who marked the answers of inquiries
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
        """Unexpected students with a verdict, [] without a roster."""
        students = [verdict.student for verdict in self.verdicts]
        return (
            [student for student in students if student not in self.expected]
            if self.expected
            else []
        )

    @cached_property
    def max_points(self) -> float:
        return max((verdict.max_points for verdict in self.verdicts), default=0.0)

    @cached_property
    def exercises(self) -> list[str]:
        """The ids of the exercises in graded verdicts, in the order of the longest verdict."""
        longest = max(self.graded, key=lambda verdict: len(verdict.exercises), default=None)
        first = [result.id for result in longest.exercises] if longest else []
        all_ids = (result.id for verdict in self.graded for result in verdict.exercises)
        return list(dict.fromkeys([*first, *all_ids]))

    def results_of(self, exercise: str) -> list[tuple[Verdict, ExerciseResult]]:
        """Return the graded verdicts with their results in this exercise."""
        return self._by_exercise.get(exercise, [])

    def only(self, students: Iterable[str]) -> "ClassResults":
        """Return the results of these students, such as those of a section, without data that
        identifies them or concerns the whole class: names, sections, damaged files, similar
        submissions.
        """
        chosen = frozenset(students)
        return ClassResults(
            assignment=self.assignment,
            verdicts=[verdict for verdict in self.verdicts if verdict.student in chosen],
            expected=self.expected & chosen,
            unmatched=len(self.senders & chosen),
            senders=self.senders & chosen,
            inquiries=[inquiry for inquiry in self.inquiries if inquiry.student in chosen],
            marked=self.marked,
            late={student: late for student, late in self.late.items() if student in chosen},
            waiting=None
            if self.waiting is None
            else {student: count for student, count in self.waiting.items() if student in chosen},
        )

    @cached_property
    def _by_exercise(self) -> dict[str, list[tuple[Verdict, ExerciseResult]]]:
        by_exercise: dict[str, list[tuple[Verdict, ExerciseResult]]] = {}
        for verdict in self.graded:
            for result in verdict.exercises:
                by_exercise.setdefault(result.id, []).append((verdict, result))
        return by_exercise
