"""Submissions, marks, extensions and choices in any order: gradebook, tables, pages and `show` have the
numbers that are calculated on paper.
"""

import csv
import math
import random
import re
from collections import defaultdict
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from msgspec.structs import replace
from nbgrader.api import Gradebook
from typed_commands import typed
from written_answers import WRITTEN, Book

from autograder.engine.course.course import CONFIG
from autograder.engine.graded import Graded, empty
from autograder.engine.notebook.submission import Cell, Submission, read_submission
from autograder.engine.results import ResultsFolder
from autograder.engine.verdict.fingerprint import RunSettings
from autograder.engine.verdict.verdict import ExerciseResult
from autograder.files.timestamp import TIMESTAMP

pytestmark = pytest.mark.database
DUE, MOST = datetime(2026, 11, 20, 18), 9.0
GROUPS = {"g1": ["ada", "ben"], "g2": ["ben", "dan"], "cleo": ["cleo"]}  # or alone
POLICY = """
c.LatePolicy.percent_per_day = 10
c.LatePolicy.late_days = 1
c.LatePolicy.most_percent = 60
"""


@dataclass(frozen=True)
class Sent:
    """A submission that was graded."""

    owner: str
    text: str
    points: float
    when: datetime


@dataclass
class Paper:
    """What was submitted, marked and granted, and what follows from it. Nothing of the program is
    asked.
    """

    sent: dict[str, list[Sent]] = field(default_factory=lambda: defaultdict(list))
    marks: dict[tuple[str, str], float] = field(default_factory=dict)  # by owner and text
    until: dict[str, datetime] = field(default_factory=dict)  # extensions, by student
    rules: dict[str, str] = field(default_factory=dict)  # which submission counts, by student

    def deadline(self, student: str) -> datetime:
        """The latest one of all with whom the student submits."""
        mates = [who for whose in GROUPS.values() if student in whose for who in whose]
        return max([DUE, *(self.until[who] for who in mates if who in self.until)])

    def penalty(self, student: str, one: Sent) -> float:
        days = max(0, math.ceil((one.when - self.deadline(student)) / timedelta(days=1)))
        return round(MOST * min(10 * max(0, days - 1), 60) / 100, 2)

    def counting(self, student: str, owner: str) -> Sent:
        theirs, rule = self.sent[owner], self.rules.get(student, "newest")
        deadline = self.deadline(student)
        if rule == "best":
            return max(theirs, key=lambda one: round(one.points - self.penalty(student, one), 2))
        if rule == "in time":
            return next((one for one in reversed(theirs) if one.when <= deadline), theirs[-1])
        return theirs[-1]

    def best(self, student: str) -> dict[str, float]:
        """The numbers of a student: of several groups, those with the better total."""
        owners = [owner for owner, whose in GROUPS.items() if student in whose and self.sent[owner]]
        return max((self.of(student, one) for one in owners), key=lambda one: one["total"])

    def of(self, student: str, owner: str) -> dict[str, float]:
        one = self.counting(student, owner)
        mark, less = self.marks.get((owner, one.text), 0.0), self.penalty(student, one)
        total = max(0.0, one.points + mark - less)
        return {"automatic": one.points, "by_hand": mark, "late_penalty": less, "total": total}


class Course:
    """The same, done with the program."""

    def __init__(self, book: Book):
        self.book, self.assignment = book, book.assignment
        self.results = ResultsFolder(Path("results"), self.assignment)
        config = self.assignment.course.root / CONFIG
        config.write_text(config.read_text() + POLICY)
        pairs = [f"{who},{owner}" for owner, whose in GROUPS.items() if whose[1:] for who in whose]
        Path("groups.csv").write_text("\n".join(["student,group", *pairs, ""]))
        with book.course.gradebook() as gradebook:
            gradebook.update_or_create_assignment(self.assignment.id, duedate=DUE)

    def submit(self, sent: Sent) -> None:
        """Put a submission into the folder of submissions, with the verdict that `grade` would give."""
        settings = RunSettings(self.assignment, seed=1)
        read = read_submission(self.assignment, sent.owner, self.assignment.release)
        cells = [self._answered(cell, sent.text) for cell in read.cells]
        submission = Submission([*cells, Cell("own", "code", f"{sent}")], sent.owner)
        first, *rest = self.assignment.exercises
        answered = ExerciseResult(first.id, "answered", sent.points, first.points, [], [])
        others = [ExerciseResult(one.id, "answered", 0.0, one.points, [], []) for one in rest]
        verdict = replace(empty(settings, submission, "graded"), points=sent.points)
        stamp = replace(verdict.stamp, submission=f"{abs(hash(sent)):x}"[:12])
        verdict = replace(verdict, exercises=[answered, *others], stamp=stamp)
        self.results.put(Graded(verdict, {}, [], submission), sent.when)
        folder = Path("submitted", sent.owner, self.assignment.id)
        folder.mkdir(parents=True, exist_ok=True)
        (folder / TIMESTAMP).write_text(f"{sent.when:%Y-%m-%d %H:%M:%S} UTC\n")
        (folder / f"{self.assignment.id}.ipynb").write_bytes(self.assignment.release.read_bytes())

    def _answered(self, cell: Cell, text: str) -> Cell:
        return Cell(cell.id, cell.kind, text) if cell.id == WRITTEN else cell

    def decide(self, paper: Paper) -> None:
        """Write what staff granted and chose."""
        id = self.assignment.id
        until = [f"{who},{id},{when:%Y-%m-%d %H:%M}Z" for who, when in paper.until.items()]
        Path("extensions.csv").write_text("\n".join(["student,assignment,until", *until, ""]))
        counts = [f"{who},{id},{rule}" for who, rule in paper.rules.items()]
        Path("counts.csv").write_text("\n".join(["student,assignment,counts", *counts, ""]))

    def exported(self) -> dict[str, dict[str, float]]:
        """The numbers of the table of grades, by student."""
        assert typed("export", "results", "--format", "csv", "--out", "grades.csv")[0] == 0
        with Path("grades.csv").open(encoding="utf-8-sig", newline="") as file:
            rows = {row["student"]: row for row in csv.DictReader(file)}
        columns = "automatic", "by_hand", "late_penalty", "total"
        return {who: {name: float(row[name]) for name in columns} for who, row in rows.items()}

    def entered(self) -> dict[str, tuple[float, float]]:
        """nbgrader's own numbers: points, and what being late takes, by student and group."""
        with Gradebook(self.book.url) as gradebook:
            return {
                one.student.id: (one.score, one.late_submission_penalty or 0.0)
                for one in gradebook.assignment_submissions(self.assignment.id)
            }


def check(course: Course, paper: Paper) -> None:
    assert typed("enter", "results")[0] == 0
    exported, entered = course.exported(), course.entered()
    for owner, whose in GROUPS.items():
        for student in whose:
            assert exported[student] == pytest.approx(paper.best(student)), student
            points = exported[student]["automatic"] + exported[student]["by_hand"]
            assert entered[student] == pytest.approx((points, exported[student]["late_penalty"]))
            said = typed("show", student)[1]
            total = re.search(r"(\S+) of 9 points", said)
            assert total and float(total[1]) == pytest.approx(exported[student]["total"]), said
        if GROUPS[owner] != [owner]:
            newest = paper.sent[owner][-1]
            mark = paper.marks.get((owner, newest.text), 0.0)
            assert entered[owner] == pytest.approx((newest.points + mark, 0.0))


@pytest.mark.parametrize("seed", [0, *(pytest.param(n, marks=pytest.mark.long) for n in (3, 6))])
def test_all_say_what_is_calculated_on_paper(empty_book, monkeypatch, seed):
    monkeypatch.chdir(empty_book.assignment.course.root)
    chance, paper, course = random.Random(seed), Paper(), Course(empty_book)
    when = {owner: DUE - timedelta(days=1) for owner in GROUPS}

    def submit(owner: str) -> None:
        when[owner] += timedelta(hours=chance.randint(1, 40))
        points = chance.choice([0.25, 1.0, 2.5, 4.0])
        sent = Sent(owner, f"{owner}, {chance.randint(1, 3)}", points, when[owner])
        paper.sent[owner].append(sent)
        course.submit(sent)

    def mark(owner: str) -> None:
        """At the group, or at a member of it alone, whose row shows another text if it counts."""
        student = chance.choice([one for one in GROUPS[owner] if one != "ben"])
        row = chance.choice([owner, student])
        one = paper.sent[owner][-1] if row == owner else paper.counting(student, owner)
        paper.marks[owner, one.text] = points = chance.choice([0.5, 1.25, 2.0])
        empty_book.mark(row, points)

    def extend(owner: str) -> None:
        student = chance.choice(GROUPS[owner])
        paper.until[student] = DUE + timedelta(days=chance.randint(1, 3))

    def choose(owner: str) -> None:
        paper.rules[chance.choice(GROUPS[owner])] = chance.choice(["newest", "in time", "best"])

    for owner in GROUPS:
        submit(owner)
    check(course, paper)
    for _ in range(10):
        chance.choice([submit, submit, mark, mark, extend, choose])(chance.choice([*GROUPS]))
        course.decide(paper)
        check(course, paper)
    assert typed("feedback", "--jobs", "1")[0] == 0
    for student, numbers in course.exported().items():
        page = Path("feedback", student, course.assignment.id, f"{course.assignment.id}.html")
        shown = re.search(r"<strong>(\S+)</strong> of 9 points", page.read_text())
        assert shown and float(shown[1]) == pytest.approx(numbers["total"], abs=0.005)
