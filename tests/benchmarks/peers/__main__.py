"""What a class costs with nbgrader, with otter-grader and with ours; and how ours grows.

python -m tests.benchmarks.peers [--assignment ID] [--ours 20,100,300] [--peers 20] [--growth 100,300,1000]
"""

import argparse
import importlib.metadata
import os
import platform
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from rich.console import Console

from autograder import Assignment
from autograder._commands.exit_status import FAILED, OK, STOPPED, refuse
from tests.benchmarks.arguments import add_assignment, chosen_assignment, positive
from tests.benchmarks.checkout import CHECKOUT
from tests.benchmarks.peers import nbgrader_in_cells, otter_run, ours, tables
from tests.benchmarks.peers.bench import Bench, Contender, Row, medians
from tests.benchmarks.peers.contender import Full, plain_tests
from tests.benchmarks.peers.job import Failed
from tests.benchmarks.peers.students import invent_class

OURS, NBGRADER, OTTER = "ours", "nbgrader", "otter"
LOCAL, CLUSTER = "local", "cluster"
SEED = 1
NOTES = [
    "The same submissions for all, no two alike; none ends its process, none is damaged.",
    "Demos (cells tagged skip-grading) are not run by ours, so the peers' notebooks have none.",
    "The peers run a few plain tests an exercise, in the same process as the student's code; ours "
    "runs all hidden checks behind the walls, names mistakes, and enters the gradebook.",
    "nbgrader grades one submission after the other, and so does a loop over `otter run`; ours has "
    "as many workers as --jobs says. The CPU of each submission does not depend on that.",
    "CPU is that of all processes; memory the highest sample of all together, shared pages in "
    "proportion. A Dask cluster's start and end are in its CPU and not in its wall time.",
    "The start of each program is in its figures: the larger the class, the less it weighs "
    "(`--peers 20,100` shows how much).",
    "otter grade, which takes a folder, is `otter run` in a Docker container for each submission.",
]


def main(arguments: list[str] | None = None) -> int:
    """Measure, print the tables and write them; return the exit status."""
    options, assignment = _options(arguments)
    console = Console(highlight=False, width=None if sys.stdout.isatty() else 150)
    shown: list[tables.Table] = []
    try:
        if OTTER in options.only and options.peers:
            _install_otter(console)
        with tempfile.TemporaryDirectory(prefix="peers-") as folder:
            bench = _bench(assignment, options, Path(folder), console)
            with bench.progress:
                compared, full = _compare(bench, options)
                grown = _grow(bench, options)
    except Failed as error:
        return refuse(str(error), FAILED)
    except KeyboardInterrupt:
        return refuse("Stopped. Nothing is written.", STOPPED)
    if compared:
        shown += [tables.compare(compared, OURS), tables.agree(full, OURS)]
    if grown:
        shown.append(tables.grow(grown))
    for table in shown:
        console.print(table.as_rich())
    for note in NOTES:
        console.print(f"- {note}", markup=False)
    tables.write(options.into, shown, [*compared, *grown], NOTES, _about(options))
    console.print(f"Tables: {options.into}/", markup=False)
    return OK


def _install_otter(console: Console) -> None:
    if otter_run.is_installed():
        return
    console.print(
        f"Installing {' '.join(otter_run.requirements())} into {otter_run.VENV} (minutes, once)"
    )
    begin = time.monotonic()
    otter_run.install()
    console.print(f"Installed in {time.monotonic() - begin:.0f} s; it is kept for the next run.")


def _bench(
    assignment: Assignment, options: argparse.Namespace, top: Path, console: Console
) -> Bench:
    most = max(*options.ours, *options.peers, *options.growth, 0, 0)
    return Bench(assignment, invent_class(assignment, most, SEED), top, console)


def _compare(bench: Bench, options: argparse.Namespace) -> tuple[list[Row], dict[str, Full]]:
    """Everybody on classes of their sizes, round by round; marks are those of the largest."""
    plan = [(contender, sizes) for contender, sizes in _contenders(options) if sizes]
    for contender, sizes in plan:
        more = contender.start_seconds if contender.name == OURS else 0  # the second run
        each_round = sum(map(contender.expected, sizes)) + more
        bench.expect(contender.expected(2) + options.rounds * each_round)
    rows: list[Row] = []
    full: dict[str, Full] = {}
    for contender, _ in plan:
        bench.check_marks(contender)
    for _ in range(options.rounds):
        for contender, sizes in plan:
            for size in sorted(sizes):
                twice = contender.name == OURS and size == max(sizes)
                measured, full[contender.name] = bench.run(contender, size, twice)
                rows += measured
    return medians(rows), full


def _contenders(options: argparse.Namespace) -> Iterator[tuple[Contender, list[int]]]:
    if OURS in options.only:
        yield Contender(OURS, ours.prepare, options.jobs, 15, 0.3), options.ours
    if NBGRADER in options.only:
        yield Contender("nbgrader autograde", nbgrader_in_cells.prepare, 1, 4, 3), options.peers
    if OTTER in options.only:
        yield Contender("otter run", otter_run.prepare, 1, 0, 6), options.peers
        if options.jobs > 1:
            name = f"otter run, {options.jobs} at once"
            yield Contender(name, otter_run.prepare, options.jobs, 0, 3), options.peers


def _grow(bench: Bench, options: argparse.Namespace) -> list[Row]:
    """Ours on ever larger classes, with one worker and with several, here and on a cluster."""
    places = {LOCAL: ours.prepare, CLUSTER: ours.prepare_for_cluster}
    contenders = [
        Contender(place, places[place], workers, 15, 0.5 / workers)
        for place in options.where
        for workers in sorted({1, options.jobs})
    ]
    plan = [(contender, size) for contender in contenders for size in sorted(options.growth)]
    bench.expect(options.rounds * sum(contender.expected(size) for contender, size in plan))
    rounds = [bench.run(*one)[0] for _ in range(options.rounds) for one in plan]
    return medians(row for rows in rounds for row in rows)


def _about(options: argparse.Namespace) -> dict:
    """What the figures depend on."""
    versions = {name: importlib.metadata.version(name) for name in ("torch", "nbgrader")}
    return {
        "date": time.strftime("%Y-%m-%d"),
        "processors": len(os.sched_getaffinity(0)),
        "system": platform.platform(),
        "python": platform.python_version(),
        "versions": versions | {"otter": otter_run.OTTER.split("==")[1]},
        "rounds": options.rounds,
        "jobs": options.jobs,
        "seed": SEED,
    }


def _options(arguments: list[str] | None) -> tuple[argparse.Namespace, Assignment]:
    """What was asked for, and the assignment; exits where it makes no sense."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.peers", description=__doc__)
    add_assignment(parser)
    for option, usual, what in (
        ("--ours", [20, 100, 300], "classes that ours grades (20,100,300)"),
        ("--peers", [20], "classes that the peers grade (20)"),
        ("--growth", [100, 300, 1000], "classes that ours grows over (100,300,1000)"),
    ):
        parser.add_argument(option, default=usual, type=_sizes, metavar="SIZES|none", help=what)
    parser.add_argument("--rounds", type=positive, default=1, help="of everything (1)")
    parser.add_argument("--jobs", type=positive, default=2, metavar="N", help="workers (2)")
    everybody, everywhere = (OURS, NBGRADER, OTTER), (LOCAL, CLUSTER)
    parser.add_argument("--only", action="append", choices=everybody, help="may be said again")
    parser.add_argument(
        "--where", action="append", choices=everywhere, help="of the growth; both unless said"
    )
    results = CHECKOUT / ".peers" / "results"
    parser.add_argument("--into", type=Path, default=results, help="folder of the tables")
    options = parser.parse_args(arguments)
    options.only = options.only or everybody
    options.where = options.where or everywhere
    assignment = chosen_assignment(parser, options.assignment)
    missing = {exercise.id for exercise in assignment.exercises} - plain_tests(assignment).keys()
    if missing and options.peers:
        parser.error(f"`{assignment.id}` has no plain tests for {', '.join(sorted(missing))}")
    return options, assignment


def _sizes(text: str) -> list[int]:
    """Whole numbers from 1 up, with commas, or none at all."""
    return [] if text == "none" else [positive(word) for word in text.split(",")]


if __name__ == "__main__":
    sys.exit(main())
