"""Verdicts of an invented class of any size, made without grading: from the checks that the graders'
mistakes name, and the mistakes themselves.
"""

import random
from pathlib import Path

from rosters import write_roster

from autograder import Assignment, CheckResult, ExerciseResult, NamedMistake, Verdict, write_verdict
from autograder.classroom.roster import Person
from autograder.engine.verdicts import Stamp
from autograder.engine.verdicts.verdict import EarlierMistake
from autograder.mistakes.mistake import Mistake, mistakes

STAMP = Stamp(
    grader="g", submission="s", torch="2.13.0", python="3.11", seed=1, sandbox="namespaces"
)
STOPPED = ["error", "timed_out", "out_of_memory", "crashed"]
NOTE = "`attention` uses `F.scaled_dot_product_attention`: was an own one asked for?"
SECTIONS = "Mon 10", "Tue 14", "Wed 8", "Thu 16", "Fri 12"


class InventedClass:
    """Invents verdicts of one assignment: the abler a student, the fewer mistakes."""

    def __init__(self, assignment: Assignment, seed: int):
        self.assignment, self.draw = assignment, random.Random(seed)
        self.known: dict[str, list[Mistake]] = {one.id: [] for one in assignment.exercises}
        for mistake in mistakes(assignment):
            self.known[mistake.exercise].append(mistake)
        self.checks = {id: self._checks(id, known) for id, known in self.known.items()}
        self.max_points = sum(sum(checks.values()) for checks in self.checks.values())

    def _checks(self, id: str, known: list[Mistake]) -> dict[str, float]:
        """The points of each check that a mistake names, which add up to those of the exercise."""
        names = dict.fromkeys(name for mistake in known for name in mistake.caught_by)
        points = next(one.points for one in self.assignment.exercises if one.id == id)
        return {f"test_{name}": points / len(names) for name in names or ["something"]}

    def verdict(self, student: str, able: float) -> Verdict:
        chance = self.draw.random()
        if chance < 0.03:
            return self._without(student, "unreadable", "its JSON is damaged (line 3)")
        if chance < 0.035:
            return self._without(student, "not_graded", "the machine had no memory left")
        results = [self._result(id, able) for id in self.known]
        earlier = []
        if self.draw.random() < 0.03:
            one = self.draw.choice(self.known[results[0].id])
            earlier = [EarlierMistake(one.exercise, one.id, one.sentence)]
        return Verdict(
            student=student,
            assignment=self.assignment.id,
            state="graded",
            points=sum(one.points for one in results),
            max_points=self.max_points,
            exercises=results,
            repairs=["The cell `attention` is missing."] if self.draw.random() < 0.02 else [],
            seconds=0.2,
            stamp=STAMP,
            earlier=earlier,
            notes=[NOTE] if self.draw.random() < 0.04 else [],
        )

    def _without(self, student: str, state: str, reason: str) -> Verdict:
        return Verdict(
            student, self.assignment.id, state, 0.0, self.max_points, [], [], 0.1, STAMP, reason
        )

    def _result(self, id: str, able: float) -> ExerciseResult:
        if self.draw.random() < 0.06 - 0.04 * able:
            return self._stopped(id, "not_attempted")
        if self.draw.random() < 0.02:
            return self._stopped(id, self.draw.choice(STOPPED))
        made: list[Mistake] = []
        if self.draw.random() > 0.35 + 0.5 * able:
            often = [1 / (k + 1) for k in range(len(self.known[id]))]
            made = self.draw.choices(self.known[id], often, k=1 + (self.draw.random() < 0.2))
        failed = {f"test_{name}" for one in made for name in one.caught_by}
        if not made and self.draw.random() < 0.1:
            failed = {self.draw.choice(list(self.checks[id]))}  # which nothing explains
        gone = self.draw.sample(self.known[id], 1) if self.draw.random() < 0.05 else []
        named = {one.id: NamedMistake(one.id, one.sentence) for one in made}
        old = [NamedMistake(one.id, one.sentence) for one in gone if one.id not in named]
        return self._of(id, "answered", failed, list(named.values()), old)

    def _stopped(self, id: str, state: str) -> ExerciseResult:
        return self._of(id, state, set(self.checks[id]), [], [])

    def _of(self, id, state, failed, made, gone) -> ExerciseResult:
        checks = [
            CheckResult(
                name,
                0.0 if name in failed else points,
                points,
                name not in failed,
                "Which axis is that?" if name in failed else None,
            )
            for name, points in self.checks[id].items()
        ]
        points, most = sum(one.points for one in checks), sum(one.max_points for one in checks)
        return ExerciseResult(id, state, points, most, checks, made, gone)


def write_invented_class(
    results: Path, assignments: list[Assignment], students: int, seed: int = 1
) -> Path:
    """Write verdicts of several assignments and a roster, which has a few more; return its path."""
    draw = random.Random(seed)
    able = {f"student-{k:04d}": draw.random() for k in range(students)}
    for assignment in assignments:
        invented = InventedClass(assignment, seed)
        for student, how in able.items():
            if draw.random() < 0.97:
                path = results / assignment.id / f"{student}.json"
                write_verdict(path, invented.verdict(student, how))
    roster = results.parent / "roster.csv"
    write_roster(
        roster, [Person(who, f"Name {who}", section=draw.choice(SECTIONS)) for who in able]
    )
    return roster
