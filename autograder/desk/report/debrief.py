"""The debrief: a page about a class that can be shown to it, and to its tutors.

Mistakes by section in percent, points by marker, and attempts over time; no student is named.
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

FEW = 5  # graded students; of fewer in a section a share would tell who
MOST_BARS = 40
STEPS = [timedelta(hours=1), timedelta(hours=6), timedelta(days=1), timedelta(days=7)]
AROUND = timedelta(days=120)  # the median, beyond which a time is none of this class's


@dataclass(frozen=True)
class Marker:
    """How many marks of each number of points somebody gave in an exercise; `name` may be a number."""

    name: str
    mean: float
    counts: dict[float, int]


@dataclass(frozen=True)
class MarkedExercise:
    """An exercise with its markers, the strictest first. Of the spread of the marks on `shared`
    answers, those that several markers have marked, `explained` goes with the answer and the rest
    with the marker; None if there is none.
    """

    id: str
    step: float  # between two numbers of points
    markers: list[Marker]
    shared: int
    explained: float | None


@dataclass(frozen=True)
class Bar:
    """How many submissions came in the time that begins at `start`: first ones, and later ones."""

    start: datetime  # by the clocks of the zone in which times are shown
    first: int
    again: int

    @property
    def total(self) -> int:
        return self.first + self.again


class Debrief:
    """The data of one assignment's part of the page."""

    def __init__(
        self,
        results: ClassResults,
        marks: Iterable[GivenMark],
        times: list[list[datetime]],
        names: bool,
        zone: tzinfo = UTC,
    ):
        """`times`: of each student's submissions, the earliest first; `names`: say who the markers
        are; `zone`: the time zone in which times are shown.
        """
        self.id, self.graded = results.assignment, len(results.graded)
        self.practice = len(results.practice)
        self.times = times
        self.zone = str(zone)
        self.bars, self.elsewhere = attempts(times, zone)
        self.marked = list(_marked(marks, names))
        section = {
            one.student: printable(results.sections.get(one.student, ""), 60) or NO_SECTION
            for one in results.graded
        }
        graded = Counter(section.values())
        self.sections = [(one.name, graded[one.name]) for one in sections_in(results) if one.graded]
        self.mistakes: list[tuple[MistakeInClass, list[float | None]]] = []
        for mistake in sorted(mistakes_in(results), key=lambda one: -len({*one.students})):
            had = Counter(section[student] for student in {*mistake.students})
            counts = [(len({*mistake.students}), self.graded)]
            counts += [(had[name], of) for name, of in self.sections]
            self.mistakes.append((mistake, [n / of if of >= FEW else None for n, of in counts]))


def attempts(times: Sequence[Sequence[datetime]], zone: tzinfo = UTC) -> tuple[list[Bar], int]:
    """Return how many submissions came when, in at most 40 bars, and how many are left out, because
    their times are far from all others. `times`: of each student's, the earliest first; `zone`: the
    time zone in which an hour, a day or a week of a bar begins.
    """
    known = sorted(
        (texts.in_zone(at, zone).replace(tzinfo=None), place > 0)
        for of_one in times
        for place, at in enumerate(of_one)
    )
    near = [(at, again) for at, again in known if abs(at - known[len(known) // 2][0]) <= AROUND]
    if not near:
        return [], 0
    step = next(
        (one for one in STEPS if near[-1][0] - near[0][0] < one * (MOST_BARS - 1)), STEPS[-1]
    )
    begin = datetime.min  # a Monday
    places = Counter(((at - begin) // step, again) for at, again in near)
    first, last = min(places)[0], max(places)[0]
    return [
        Bar(begin + k * step, places[k, False], places[k, True]) for k in range(first, last + 1)
    ], len(known) - len(near)


def times_of(results: Path, submitted: Path, of_class: ClassResults) -> list[list[datetime]]:
    """Return when each student's submissions were handed in, the earliest first, as far as that is
    known.

    `results`: the folder of all results; `submitted`: that of all submissions.
    """
    found = []
    for verdict in of_class.verdicts:
        dated = verdicts.read_dated_history(results, verdict.assignment, verdict.student)
        times = {
            one.verdict.stamp.submission: one.submitted and one.submitted.replace(tzinfo=UTC)
            for one in dated
        }
        newest = files.read_timestamp(submitted / verdict.student / verdict.assignment, submitted)
        times[verdict.stamp.submission] = texts.parse_time(newest) or times.get(
            verdict.stamp.submission
        )
        found.append(sorted(filter(None, times.values())))
    return found


def debrief_page(debriefs: Sequence[Debrief]) -> str:
    """Return the debrief as HTML; the page loads no other file."""
    return TEMPLATES.get_template("debrief.html.jinja").render(debriefs=debriefs, FEW=FEW)


def _marked(marks: Iterable[GivenMark], names: bool) -> Iterator[MarkedExercise]:
    exercises: dict[str, list[GivenMark]] = defaultdict(list)
    for mark in marks:
        exercises[mark.exercise].append(mark)
    for id, given in sorted(exercises.items()):
        points: dict[str, list[float]] = defaultdict(list)
        for mark in given:
            points[mark.marker].append(mark.points)
        most = max(0.0, *(mark.points for mark in given))
        step = max(0.5, most / MOST_BARS)
        levels = [step * k for k in range(round(most / step) + 1)]
        strict = sorted(points, key=lambda who: (np.mean(points[who]), who))
        markers = []
        for place, who in enumerate(strict):
            counts = Counter(step * max(0, round(one / step)) for one in points[who])
            name = printable(who, 60) if names else f"marker {place + 1}"
            mean = float(np.mean(points[who]))
            markers.append(Marker(name, mean, {level: counts[level] for level in levels}))
        yield MarkedExercise(id, step, markers, *explained(given))


def explained(marks: Iterable[GivenMark]) -> tuple[int, float | None]:
    """Return how many answers several markers have marked, and the share of the variance of these
    marks that lies between answers (eta squared); None if all are equal.

    Equal answers are one, and a marker's marks on it count once, with their mean.
    """
    by_answer: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for mark in marks:
        by_answer[mark.answer][mark.marker].append(mark.points)
    groups = [
        [np.mean(some) for some in one.values()] for one in by_answer.values() if len(one) > 1
    ]
    every = np.concatenate([[], *groups])
    within = sum(len(one) * float(np.var(one)) for one in groups)
    total = len(every) * float(np.var(every)) if groups else 0.0
    return len(groups), 1 - within / total if total > 1e-9 else None
