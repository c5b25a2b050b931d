"""Grade the same class on a machine with nothing else to do and beside busy processes: what differs?

    python -m tests.benchmarks.load [--assignment ASSIGNMENT] [--right 40] [--wrong 40] [--busy 24]

Right ones are the solution and its variants; wrong ones have known mistakes, and every fifth of them
sleeps, loops or keeps its threads busy without end. Points, states, names and notes have to be the same.
Prints what is not, and how much processor time the most expensive submission used.
"""

import argparse
import itertools
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from autograder import Assignment, assignments, find_assignment, find_course
from autograder.authoring.sample_class import SampleSubmission, solutions, write_submission
from autograder.authoring.variants import variants
from autograder.classroom.worker import claim_a_processor
from autograder.engine.grading import Grader
from autograder.engine.limits import Limits
from autograder.engine.sandbox import choose_walls
from autograder.mistakes.exercises import diagnose_exercises
from autograder.mistakes.mistake import mistakes
from tests.attacks.attack import ASSIGNMENTS, ATTACKS, PROVE, read_attack

SEED = 7
ENDLESS_EACH = 5  # of wrong ones, one is endless
SILENT = "def prove(*words): pass\n"  # what an attack would send beside its answers
BUSY = [sys.executable, "-c", "while True: pass"]


@dataclass(frozen=True)
class Outcome:
    """What a verdict says, and what it took."""

    said: dict
    wall: float
    cpu: float  # of the candidates


def invented(assignment: Assignment, right: int, wrong: int) -> Iterator[tuple[str, dict]]:
    """Yield so many right and wrong submissions: what each is, and its cells."""
    solved = solutions(assignment)
    others = [(variant.name, solved | variant.cells) for variant in variants(assignment)]
    yield from itertools.islice(itertools.cycle([("the solution", solved), *others]), right)
    folders = [name for name, of in ASSIGNMENTS.items() if of == assignment.id]
    attacks = [(name, read_attack(name)) for name in ATTACKS if name.split("/")[0] in folders]
    endless = itertools.cycle(
        [
            (name, solved | {one.cell: one.source.replace(PROVE, SILENT)})
            for name, one in attacks
            if one.state == "timed_out"
        ]
    )
    known = mistakes(assignment)
    step = max(1, len(known) // max(1, wrong))
    for number, mistake in enumerate(known[::step][:wrong]):
        made = mistake.cells[0]
        named = (mistake.id, solved | ({mistake.exercise: made} if made else {}))
        yield next(endless) if number % ENDLESS_EACH == 0 else named


def grade(assignment: Assignment, notebooks: dict[str, Path]) -> dict[str, Outcome]:
    """Grade them one after the other, on one processor."""
    walls = choose_walls("require", (assignment.course.graders,))
    grader, found = Grader(assignment, walls, Limits(), SEED, explain=diagnose_exercises), {}
    with on_one_processor():
        walls.start(Limits()).end()
        for name, notebook in notebooks.items():
            begin, before = time.monotonic(), walls.parent.candidates_cpu if walls.parent else 0.0
            verdict = grader.grade("s001", notebook).verdict.to_json()
            after = walls.parent.candidates_cpu if walls.parent else 0.0
            said = {key: verdict[key] for key in ("state", "points", "exercises", "notes")}
            found[name] = Outcome(said, time.monotonic() - begin, max(0.0, after - before))
            print(f"{len(found)} of {len(notebooks)} {name}", file=sys.stderr, flush=True)
    walls.close()
    return found


@contextmanager
def on_one_processor() -> Iterator[None]:
    """As a worker; processes that are started later may use all of them again."""
    before = os.sched_getaffinity(0)
    claim_a_processor()
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


@contextmanager
def busy(count: int) -> Iterator[None]:
    """Keep so many processes busy."""
    running = [subprocess.Popen(BUSY) for _ in range(count)]
    try:
        yield
    finally:
        for process in running:
            process.kill()
            process.wait()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    course = find_course(Path(__file__).parents[2])
    parser.add_argument("--assignment", default=assignments(course)[0])
    for name, number in (("right", 40), ("wrong", 40), ("busy", 24)):
        parser.add_argument(f"--{name}", type=int, default=number)
    options = parser.parse_args()
    assignment = find_assignment(options.assignment, course)
    with tempfile.TemporaryDirectory() as folder:
        notebooks = {
            f"{number} {what}": write_submission(
                assignment, Path(folder) / str(number), SampleSubmission(cells, what)
            )
            for number, (what, cells) in enumerate(
                invented(assignment, options.right, options.wrong)
            )
        }
        quiet = grade(assignment, notebooks)
        with busy(options.busy):
            loaded = grade(assignment, notebooks)
    differing = [name for name in notebooks if quiet[name].said != loaded[name].said]
    for name in differing:
        print(f"{name}:\n  {quiet[name].said}\n  {loaded[name].said}")
    for title, found in (("quiet", quiet), (f"beside {options.busy}", loaded)):
        most = max(found, key=lambda name: found[name].cpu)
        points = sum(one.said["points"] for one in found.values())
        wall = sum(one.wall for one in found.values())
        print(
            f"{title}: {points:g} points in all, {wall:.0f} s; most processor time: "
            f"{found[most].cpu:.1f} s, {most}"
        )
    print(f"{len(differing)} of {len(notebooks)} verdicts differ.")
    return int(bool(differing))


if __name__ == "__main__":
    sys.exit(main())
