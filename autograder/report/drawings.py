"""The plots of an assignment's report, by the names that the page has for them."""

from collections.abc import Callable

from markupsafe import Markup

from autograder.report import plots, words
from autograder.report.assignment_report import AssignmentReport
from autograder.report.class_results import title
from autograder.report.sections import Section
from autograder.wording import plural

IN_PLOT = 12  # mistakes that are drawn


def draw(report: AssignmentReport, name: str) -> Markup:
    """Return a plot as SVG whose ids are of this assignment alone."""
    return Markup(DRAWINGS[name](f"a{report.number}-{name}", report))


def _points(id: str, report: AssignmentReport) -> str:
    words = "How many students have how many points"
    return plots.histogram(id, report.bins, report.middle, words)


def _exercises(id: str, report: AssignmentReport) -> str:
    rows = [
        plots.Row(item.name, words.share_text(item.share), item.share) for item in report.exercises
    ]
    return plots.intervals(id, rows, 1, "Shares of the points by exercise", percent=True)


def _lost(id: str, report: AssignmentReport) -> str:
    rows = [(one.reason, one.points, _loss(one.points, one.students)) for one in report.losses]
    return plots.bars(id, rows, "Where the points of the class went")


def _mistakes(id: str, report: AssignmentReport) -> str:
    rows = [
        (f"{place}. {title(one.id)}", one.cost, _loss(one.cost, len(one.students)))
        for place, one in enumerate(report.mistakes[:IN_PLOT], start=1)
    ]
    return plots.bars(id, rows, "What mistakes cost the class")


def _sections(id: str, report: AssignmentReport) -> str:
    rows = [
        plots.Row(one.name, _of_section(one), one.points, one.quarters, one.ends)
        for one in report.sections
    ]
    most = report.results.max_points or 1
    return plots.intervals(id, rows, most, "Points by section", percent=False)


def _loss(points: float, students: int) -> str:
    return f"{plural(students, 'student')}, {words.points_lost(points)}"


def _of_section(section: Section) -> str:
    if not section.points:
        return "nobody graded"
    who = plural(section.graded, "student")
    return f"{who}, median {words.points(section.points.value)}"


DRAWINGS: dict[str, Callable[[str, AssignmentReport], str]] = {
    "points": _points,
    "exercises": _exercises,
    "lost": _lost,
    "mistakes": _mistakes,
    "sections": _sections,
}
