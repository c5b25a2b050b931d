"""The debrief: a page about a class that can be shown to the class and its tutors. It has mistakes
by section in percent, points by marker, and attempts over time, and names no student.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo
from pathlib import Path

import numpy as np

from autograder.desk.marking.given import GivenMark
from autograder.desk.report.class_results import ClassResults
from autograder.desk.report.mistakes import MistakeInClass, mistakes_in
from autograder.desk.report.page import TEMPLATES
from autograder.desk.report.sections import NO_SECTION, sections_in
from autograder.engine import files, printable, texts, verdicts

FEW = 5  # graded students of a section: a share of fewer could identify a student
MOST_BARS = 40
STEPS = [timedelta(hours=1), timedelta(hours=6), timedelta(days=1), timedelta(days=7)]
AROUND = timedelta(days=120)  # the median: a time further away is not this class's


@dataclass(frozen=True)
class Marker:
    """The marks of a marker in an exercise."""

    name: str  # or "marker" and a number
    mean: float
    counts: dict[float, int]  # number of marks, by points


@dataclass(frozen=True)
class MarkedExercise:
    """An exercise with its markers, the strictest first."""

    id: str
    step: float  # between two numbers of points
    markers: list[Marker]
    shared: int  # answers with marks of several markers
    explained: float | None  # share of these marks' variance that lies between answers


@dataclass(frozen=True)
class Bar:
    """The number of submissions in a period of time, first and repeated submissions."""

    start: datetime  # in the time zone of the page
    first: int
    again: int

    @property
    def total(self) -> int:
        return self.first + self.again


class Debrief:
    """The data of an assignment's part of the page."""

    def __init__(
        self,
        results: ClassResults,
        marks: Iterable[GivenMark],
        times: list[list[datetime]],
        names: bool,
        zone: tzinfo = UTC,
    ):
        """`times`: of each student's submissions, the earliest first. `names`: name the markers.
        `zone`: the time zone of the page.
        """
        self.id, self.graded = results.assignment, len(results.graded)
        self.practice = len(results.practice)
        self.times = times
        self.zone = str(zone)
        self.bars, self.elsewhere = attempts(times, zone)
        self.marked = list(_marked(marks, names))
        section_of = {
            verdict.student: printable(results.sections.get(verdict.student, ""), 60) or NO_SECTION
            for verdict in results.graded
        }
        graded = Counter(section_of.values())
        self.sections = [
            (section.name, graded[section.name])
            for section in sections_in(results)
            if section.graded
        ]
        self.mistakes: list[tuple[MistakeInClass, list[float | None]]] = []
        for mistake in sorted(mistakes_in(results), key=lambda mistake: -len({*mistake.students})):
            counts_by_section = Counter(section_of[student] for student in {*mistake.students})
            counts = [(len({*mistake.students}), self.graded)]
            counts += [(counts_by_section[name], of) for name, of in self.sections]
            self.mistakes.append((mistake, [n / of if of >= FEW else None for n, of in counts]))


def attempts(times: Sequence[Sequence[datetime]], zone: tzinfo = UTC) -> tuple[list[Bar], int]:
    """Return the submissions over time in at most 40 bars, and the number of submissions left out,
    because their times are far from all others. `times`: of each student's submissions, the
    earliest first. `zone`: the time zone in which hours, days and weeks begin.
    """
    attempt_times = sorted(
        (texts.in_zone(at, zone).replace(tzinfo=None), place > 0)
        for student_times in times
        for place, at in enumerate(student_times)
    )
    near = [
        (at, is_again)
        for at, is_again in attempt_times
        if abs(at - attempt_times[len(attempt_times) // 2][0]) <= AROUND
    ]
    if not near:
        return [], 0
    step = next(
        (step for step in STEPS if near[-1][0] - near[0][0] < step * (MOST_BARS - 1)), STEPS[-1]
    )
    begin = datetime.min  # a Monday
    places = Counter(((at - begin) // step, is_again) for at, is_again in near)
    first, last = min(places)[0], max(places)[0]
    return [
        Bar(begin + k * step, places[k, False], places[k, True]) for k in range(first, last + 1)
    ], len(attempt_times) - len(near)


def times_of(results: Path, submitted: Path, of_class: ClassResults) -> list[list[datetime]]:
    """Return the known times of each student's submissions, the earliest first. `results`: the
    folder of all results. `submitted`: the folder of all submissions.
    """
    all_times = []
    for verdict in of_class.verdicts:
        dated = verdicts.read_dated_history(results, verdict.assignment, verdict.student)
        times = {
            entry.verdict.stamp.submission: entry.submitted and entry.submitted.replace(tzinfo=UTC)
            for entry in dated
        }
        newest = files.read_timestamp(submitted / verdict.student / verdict.assignment, submitted)
        times[verdict.stamp.submission] = texts.parse_time(newest) or times.get(
            verdict.stamp.submission
        )
        all_times.append(sorted(filter(None, times.values())))
    return all_times


def debrief_page(debriefs: Sequence[Debrief]) -> str:
    """Return the debrief as self-contained HTML."""
    return TEMPLATES.get_template("debrief.html.jinja").render(debriefs=debriefs, FEW=FEW)


def _marked(marks: Iterable[GivenMark], names: bool) -> Iterator[MarkedExercise]:
    exercises: dict[str, list[GivenMark]] = defaultdict(list)
    for mark in marks:
        exercises[mark.exercise].append(mark)
    for id, exercise_marks in sorted(exercises.items()):
        points: dict[str, list[float]] = defaultdict(list)
        for mark in exercise_marks:
            points[mark.marker].append(mark.points)
        max_points = max(0.0, *(mark.points for mark in exercise_marks))
        step = max(0.5, max_points / MOST_BARS)
        levels = [step * k for k in range(round(max_points / step) + 1)]
        strict = sorted(points, key=lambda marker: (np.mean(points[marker]), marker))
        markers = []
        for place, marker in enumerate(strict):
            counts = Counter(step * max(0, round(mark / step)) for mark in points[marker])
            name = printable(marker, 60) if names else f"marker {place + 1}"
            mean = float(np.mean(points[marker]))
            markers.append(Marker(name, mean, {level: counts[level] for level in levels}))
        yield MarkedExercise(id, step, markers, *explained(exercise_marks))


def explained(marks: Iterable[GivenMark]) -> tuple[int, float | None]:
    """Return the number of answers marked by several markers, and the share of the variance of
    these marks that lies between answers (eta squared), None if all marks are equal.

    Equal answers count once, and so does a marker, with the mean of the marks.
    """
    by_answer: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for mark in marks:
        by_answer[mark.answer][mark.marker].append(mark.points)
    groups = [
        [np.mean(points) for points in by_marker.values()]
        for by_marker in by_answer.values()
        if len(by_marker) > 1
    ]
    all_marks = np.concatenate([[], *groups])
    within = sum(len(group) * float(np.var(group)) for group in groups)
    total = len(all_marks) * float(np.var(all_marks)) if groups else 0.0
    return len(groups), 1 - within / total if total > 1e-9 else None
