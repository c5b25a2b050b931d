"""Collect everything that the class report shows about an assignment."""

from collections.abc import Iterable, Sequence

from autograder.desk.inquiries.deciders import inquiry_counts
from autograder.desk.report import tables
from autograder.desk.report.class_results import ClassResults
from autograder.desk.report.items import ItemStatistics, check_items, exercise_items, state_counts
from autograder.desk.report.mistakes import gone_mistakes, losses, mistakes_in
from autograder.desk.report.needs import Needs
from autograder.desk.report.points import bins, quarters
from autograder.desk.report.sections import sections_in
from autograder.desk.report.tables import NumberTable
from autograder.engine import printable

MOST_NAMES = 200  # students that are listed in one place


class AssignmentReport:
    """The data of an assignment's part of the class report. `number` makes its HTML ids unique.
    Without `names`, it has nothing that identifies a student.
    """

    def __init__(self, results: ClassResults, number: int, names: bool):
        self.results, self.number, self.names = results, number, names
        self.id = results.assignment
        points = [verdict.points for verdict in results.graded]
        self.bins, self.quarters = bins(points, results.max_points), quarters(points)
        totals = [*results.totals.values()]
        self.final_bins, self.final_quarters = bins(totals, results.most), quarters(totals)
        self.losses = losses(results)
        self.exercises = exercise_items(results)
        self.checks = {item.id: check_items(results, item.id) for item in self.exercises}
        self.mistakes = mistakes_in(results)
        self.needs = list(Needs(results, names).all())
        self.sections = sections_in(results)
        self.gone = gone_mistakes(results)
        self.inquiries = inquiry_counts(results.inquiries, results.marked)

    @property
    def hardest(self) -> ItemStatistics | None:
        """The exercise with the smallest share of points, if at least two were attempted."""
        return _hardest(self.exercises)

    @property
    def hardest_check(self) -> ItemStatistics | None:
        """The check passed by the smallest share of students, if at least two were attempted."""
        return _hardest([check for checks in self.checks.values() for check in checks])

    @property
    def nobody_passes(self) -> list[ItemStatistics]:
        return [check for checks in self.checks.values() for check in checks if not check.passed]

    @property
    def graders(self) -> int:
        """Number of versions of the graders that produced these verdicts."""
        return len({verdict.stamp.grader for verdict in self.results.graded})

    def who(self, students: Iterable[str]) -> str:
        """Return the students' ids and names as text, at most MOST_NAMES, "" in a report without
        names.
        """
        if not self.names:
            return ""
        labels = [self._name(student) for student in sorted(set(students))]
        hidden = len(labels) - MOST_NAMES
        return ", ".join(labels[:MOST_NAMES]) + (f", and {hidden} more" if hidden > 0 else "")

    def _name(self, student: str) -> str:
        name = self.results.names.get(student, "")
        return f"{student} ({printable(name, 60)})" if name and name != student else student

    def numbers(self) -> list[NumberTable]:
        """Return the tables for CSV files. The table of students is only in a report with names."""
        states = state_counts(self.results)
        checks = [check for checks in self.checks.values() for check in checks]
        number_tables = [
            tables.points_table("points", self.bins),
            tables.points_table("final-points", self.final_bins if self.final_quarters else []),
            tables.losses_table(self.losses),
            tables.items_table("exercises", self.exercises, states),
            tables.items_table("checks", checks, states),
            tables.mistakes_table(self.mistakes, self.names),
            tables.submissions_table(len(self.results.graded), self.needs),
            tables.sections_table(self.sections),
            tables.gone_table(self.gone),
            tables.inquiries_table(self.inquiries),
        ]
        if self.names:
            number_tables.append(tables.students_table(self.results.verdicts, self.results.names))
        return number_tables


def reports_of(classes: Sequence[ClassResults], names: bool) -> list[AssignmentReport]:
    """Return a report for each assignment. `names`: whether reports may identify students."""
    return [AssignmentReport(results, k, names) for k, results in enumerate(classes, start=1)]


def _hardest(items: list[ItemStatistics]) -> ItemStatistics | None:
    shares = {item: item.share for item in items if item.share is not None}
    return min(shares, key=shares.__getitem__) if len(shares) > 1 else None
