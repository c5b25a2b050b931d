"""Submissions, undone ones, marks, inquiries, extensions and choices in any order: gradebook, tables, pages and `show` have the
numbers that are calculated on paper.
"""

import csv
import dataclasses
import math
import os
import random
import re
import shutil
from collections import defaultdict
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell
from nbgrader.api import Gradebook
from typed_commands import typed
from written_answers import WRITTEN, Book

from autograder.engine import notebooks
from tests.gradebook.verdict_class import VerdictClass

pytestmark = pytest.mark.database
DUE, MOST = datetime(2026, 11, 20, 18), 9.0
GROUPS = {"g1": ["ada", "ben"], "g2": ["ben", "dan"], "cleo": ["cleo"]}  # or alone
SENDERS = {"g1": "ada", "g2": "dan", "cleo": "cleo"}  # ben is in two
POLICY = "percent_per_day = 10", "late_days = 1", "most_percent = 60"


@dataclass(frozen=True)
class Sent:
    """A submission that was graded."""

    owner: str
    text: str
    points: float
    when: datetime
    cells: str  # of which another submission may be a copy in other bytes


@dataclass
class Paper:
    """What was submitted, marked and granted, and what follows from it. Nothing of the program is
    asked.
    """

    sent: dict[str, list[Sent]] = field(default_factory=lambda: defaultdict(list))
    marks: dict[tuple[str, str], float] = field(default_factory=dict)  # by owner and text
    until: dict[str, datetime] = field(default_factory=dict)  # extensions, by student
    rules: dict[str, str] = field(default_factory=dict)  # which submission counts, by student
    order: list[Sent] = field(default_factory=list)
    asked: dict[str, tuple[str, str]] = field(default_factory=dict)  # owner and text, by student
    open: list[str] = field(default_factory=list)  # students whose inquiry is not answered

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
        return next((one for one in theirs if rule == f"{one.when:%Y-%m-%d %H:%M}Z"), theirs[-1])

    def best(self, student: str) -> dict[str, float]:
        """The numbers of a student: of several groups, those with the better total."""
        owners = [owner for owner, whose in GROUPS.items() if student in whose and self.sent[owner]]
        return max((self.of(student, one) for one in owners), key=lambda one: one["total"])

    def of(self, student: str, owner: str) -> dict[str, float]:
        one = self.counting(student, owner)
        mark, less = self.marks.get((owner, one.text), 0.0), self.penalty(student, one)
        total = max(0.0, one.points + mark - less)
        return {"automatic": one.points, "by_hand": mark, "late_penalty": less, "total": total}


class Course(VerdictClass):
    """The same, done with the program."""

    def __init__(self, book: Book):
        super().__init__(book)
        self.inbound, self.collected = Path("inbound").absolute(), list[Path]()
        self.configure(*POLICY)
        pairs = [f"{who},{owner}" for owner, whose in GROUPS.items() if whose[1:] for who in whose]
        self.write("groups.csv", "student,group", *pairs)
        self.due(f"{DUE}")

    def send(self, sent: Sent) -> None:
        """Collect a submission from a student's folder, and grade it."""
        notebook = nbformat.read(self.assignment.release, as_version=4)
        for cell in notebook.cells:
            cell.source = sent.text if cell.id == WRITTEN else cell.source
        notebook.cells.append(new_code_cell(sent.cells, id="own"))
        notebook.metadata["saved"] = f"{sent.when}"
        download = self.inbound / f"{sent.owner} {sent.when}"
        file = download / SENDERS[sent.owner] / f"{self.assignment.id}.ipynb"
        file.parent.mkdir(parents=True)
        nbformat.write(notebook, file)
        seconds = sent.when.replace(tzinfo=UTC).timestamp()
        os.utime(file, (seconds, seconds))
        self.collected.append(download)
        words = "--assignment", self.assignment.id, "--into", "submitted", "--yes"
        status, said = typed("collect", download, "--file-times", *words)
        assert status == 0, said
        self.grade(sent)

    def undo(self, before: Sent) -> bool:
        """Take the last submission back, and grade what counts then; return whether that is done."""
        words = "--assignment", self.assignment.id, "--into", "submitted", "--yes"
        if typed("collect", "--undo", *words)[0] != 0:
            return False
        shutil.rmtree(self.collected.pop())
        self.grade(before)
        return True

    def grade(self, sent: Sent) -> None:
        """Store the verdict that `grade` would give for the notebook that is placed."""
        placed = self.folder(sent.owner) / f"{self.id}.ipynb"
        submission = notebooks.read_submission(self.assignment, sent.owner, placed)
        assert sent.cells in [cell.source for cell in submission.cells]
        self.store(sent.owner, f"{sent.when}", sent.points)

    def decide(self, paper: Paper) -> None:
        """Write what staff granted and chose."""
        until = [f"{who},{{id}},{when:%Y-%m-%d %H:%M}Z" for who, when in paper.until.items()]
        self.write("extensions.csv", "student,assignment,until", *until)
        counts = [f"{who},{{id}},{rule}" for who, rule in paper.rules.items()]
        self.write("counts.csv", "student,assignment,counts", *counts)

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


@pytest.mark.parametrize("seed", [3, *(pytest.param(n, marks=pytest.mark.long) for n in (0, 10))])
def test_all_say_what_is_calculated_on_paper(empty_book, monkeypatch, seed):
    monkeypatch.chdir(empty_book.assignment.course.root)
    chance, paper, course = random.Random(seed), Paper(), Course(empty_book)
    when = {owner: DUE - timedelta(days=1) for owner in GROUPS}

    def submit(owner: str, copied: Sent | None = None) -> None:
        when[owner] += timedelta(hours=chance.randint(1, 40))
        points = chance.choice([0.25, 1.0, 2.5, 4.0])
        text = f"{owner}, {chance.randint(1, 3)}"
        sent = Sent(owner, text, points, when[owner], f"{owner} {when[owner]}")
        sent = dataclasses.replace(copied, when=when[owner]) if copied else sent
        paper.sent[owner].append(sent)
        paper.order.append(sent)
        course.send(sent)

    def copy(owner: str) -> None:
        """The cells of an earlier submission, saved again."""
        submit(owner, chance.choice(paper.sent[owner]))

    def mark(owner: str) -> None:
        """At the group, or at a member of it alone, whose row shows another text if it counts."""
        student = chance.choice([one for one in GROUPS[owner] if one != "ben"])
        row = chance.choice([owner, student])
        is_group = row == owner and len(GROUPS[owner]) > 1
        one = paper.sent[owner][-1] if is_group else paper.counting(student, owner)
        paper.marks[owner, one.text] = points = chance.choice([0.5, 1.25, 2.0])
        empty_book.mark(row, points)

    def extend(owner: str) -> None:
        student = chance.choice(GROUPS[owner])
        paper.until[student] = DUE + timedelta(days=chance.randint(1, 3))

    def choose(owner: str) -> None:
        times = [f"{one.when:%Y-%m-%d %H:%M}Z" for one in paper.sent[owner]]
        rule = chance.choice(["newest", "in time", "best", *times])
        paper.rules[chance.choice(GROUPS[owner])] = rule

    def undo(_: str) -> None:
        """The last submission is taken back, unless a mark depends on it."""
        owner, text = paper.order[-1].owner, paper.order[-1].text
        if len(paper.sent[owner]) == 1:
            return
        stays = text in [one.text for one in paper.sent[owner][:-1]]
        assert course.undo(paper.sent[owner][-2]) == (stays or (owner, text) not in paper.marks)
        if len(course.collected) < len(paper.order):
            paper.sent[owner].remove(paper.order.pop())

    def ask(owner: str) -> None:
        """Once for each student."""
        student = chance.choice([one for one in GROUPS[owner] if one != "ben"])
        if student in paper.asked:
            return
        paper.asked[student] = owner, paper.counting(student, owner).text
        paper.open.append(student)
        id = empty_book.assignment.id
        words = "--student", student, "--assignment", id, "--exercise", WRITTEN, "--text", "Why?"
        assert typed("inquiries", "add", *words)[0] == 0

    def answer(_: str) -> None:
        """Points are changed of the answer that the student asked about."""
        if not paper.open:
            return
        student = paper.open.pop()
        points = chance.choice([0.25, 1.75])
        words = "--assignment", empty_book.assignment.id, "--by", "Kim", "--points", points
        status, said = typed("inquiries", "answer", student, WRITTEN, *words, "--reason", "So.")
        assert status == 0, said
        paper.marks[paper.asked[student]] = points

    for owner in GROUPS:
        submit(owner)
    check(course, paper)
    steps = [submit, submit, copy, mark, mark, ask, answer, extend, choose, undo, undo]
    for _ in range(10):
        chance.choice(steps)(chance.choice([*GROUPS]))
        course.decide(paper)
        check(course, paper)
    assert typed("feedback", "--jobs", "1")[0] == 0
    for student, numbers in course.exported().items():
        page = Path("feedback", student, course.assignment.id, f"{course.assignment.id}.html")
        shown = re.search(r"<strong>(\S+)</strong> of 9 points", page.read_text())
        assert shown and float(shown[1]) == pytest.approx(numbers["total"], abs=0.005)
