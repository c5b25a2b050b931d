"""Collect everything that the class report shows about one assignment."""

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
    """The data of one assignment's part of the class report; `number` makes its HTML ids unique.

    With `names` False, nothing in it tells who a student is.
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
        self.checks = {one.id: check_items(results, one.id) for one in self.exercises}
        self.mistakes = mistakes_in(results)
        self.needs = list(Needs(results, names).all())
        self.sections = sections_in(results)
        self.gone = gone_mistakes(results)
        self.inquiries = inquiry_counts(results.inquiries, results.marked)

    @property
    def hardest(self) -> ItemStatistics | None:
        """The exercise in which students got the smallest share of the points; None if fewer than
        two exercises were attempted.
        """
        return _hardest(self.exercises)

    @property
    def hardest_check(self) -> ItemStatistics | None:
        """The check that the smallest share of students passed; None if fewer than two checks were
        attempted.
        """
        return _hardest([check for checks in self.checks.values() for check in checks])

    @property
    def nobody_passes(self) -> list[ItemStatistics]:
        return [one for checks in self.checks.values() for one in checks if not one.passed]

    @property
    def graders(self) -> int:
        """How many versions of the graders produced these verdicts."""
        return len({verdict.stamp.grader for verdict in self.results.graded})

    def who(self, students: Iterable[str]) -> str:
        """Return the ids and names of these students as one text, and of more than MOST_NAMES how
        many more there are; "" in a report without names.
        """
        if not self.names:
            return ""
        shown = [self._name(student) for student in sorted(set(students))]
        more = len(shown) - MOST_NAMES
        return ", ".join(shown[:MOST_NAMES]) + (f", and {more} more" if more > 0 else "")

    def _name(self, student: str) -> str:
        name = self.results.names.get(student, "")
        return f"{student} ({printable(name, 60)})" if name and name != student else student

    def numbers(self) -> list[NumberTable]:
        """Return all tables of the assignment, for CSV files; the table of students only in a
        report with names.
        """
        states = state_counts(self.results)
        checks = [check for checks in self.checks.values() for check in checks]
        made = [
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
            made.append(tables.students_table(self.results.verdicts, self.results.names))
        return made


def reports_of(classes: Sequence[ClassResults], names: bool) -> list[AssignmentReport]:
    """Return a report for each assignment. `classes` has the results of each; with `names` False,
    no report tells who a student is.
    """
    return [AssignmentReport(results, k, names) for k, results in enumerate(classes, start=1)]


def _hardest(items: list[ItemStatistics]) -> ItemStatistics | None:
    shares = {one: one.share for one in items if one.share is not None}
    return min(shares, key=shares.__getitem__) if len(shares) > 1 else None
