"""The benchmark against others: a fair class, honest meters, tables. No figure is asserted."""

import inspect
import json
import os
import sys

import psutil
import pytest
from distributed import Client
from rich.console import Console

from autograder.mistakes.mistake import mistakes
from tests.benchmarks.cluster import ClusterError, running_cluster
from tests.benchmarks.peers import __main__ as peers
from tests.benchmarks.peers import bench, nbgrader_in_cells, otter_run, ours
from tests.benchmarks.peers.bench import Bench, Contender
from tests.benchmarks.peers.contender import Prepared, plain_tests
from tests.benchmarks.peers.job import Failed, Figures, Job, measure
from tests.benchmarks.peers.students import invent_class

pytestmark = pytest.mark.walls

BURN = "import time\nwhile time.process_time() < 0.1: pass"
PLAIN_MISTAKES = {
    "feed_forward": "no_relu",
    "attention": "unscaled",
    "multi_head_attention": "biased_projections",
    "encoder_layer": "pre_norm",
    "encoder": "embedding_not_scaled",
}


@pytest.fixture
def make_bench(assignment, tmp_path):
    students = invent_class(assignment, 2, seed=1)
    return Bench(assignment, students, tmp_path, Console(quiet=True))


def passes(cells: dict[str, str], plain: str) -> bool:
    """Whether a notebook of these cells passes plain tests."""
    notebook, tests = {}, {}
    for cell in cells.values():
        exec(cell, notebook)
    exec(plain, tests)
    for name, test in tests.items():
        if name.startswith("test_"):
            try:
                test(*(notebook[word] for word in inspect.signature(test).parameters))
            except Exception:
                return False
    return True


@pytest.mark.parametrize("exercise", PLAIN_MISTAKES)
def test_plain_tests_pass_the_solution_and_catch_a_plain_mistake(assignment, exercise):
    cells = assignment.solved_cells()
    known = {
        mistake.id: mistake for mistake in mistakes(assignment) if mistake.exercise == exercise
    }
    wrong = known[PLAIN_MISTAKES[exercise]].cells[0]
    plain = plain_tests(assignment)[exercise]
    assert passes(cells, plain)
    assert not passes(cells | {exercise: wrong}, plain)


def test_what_a_process_of_nobody_uses_is_counted(tmp_path):
    orphan = f"import subprocess, sys; subprocess.Popen([sys.executable, '-c', {BURN!r}])"
    command = [sys.executable, "-c", f"{orphan}.pid"]
    figures = measure(Job([command], tmp_path, {}))
    assert figures.cpu > 0.1 and figures.left == 0


def test_a_command_that_fails_has_no_figures(tmp_path):
    commands = [["true"], ["sh", "-c", "echo no such course; exit 3"]]
    with pytest.raises(Failed, match="status 3.*\n.*no such course"):
        measure(Job(commands, tmp_path, {}, at_once=2))


@pytest.mark.parametrize(
    "contender",
    [
        pytest.param(Contender("ours", ours.prepare, 1, 0, 0), marks=pytest.mark.long),
        pytest.param(
            Contender("nbgrader", nbgrader_in_cells.prepare, 1, 0, 0), marks=pytest.mark.long
        ),
        pytest.param(
            Contender("otter", otter_run.prepare, 2, 0, 0),
            marks=pytest.mark.skipif(
                not otter_run.is_installed(), reason="`make bench-peers` installs otter-grader"
            ),
        ),
    ],
    ids=lambda contender: contender.name,
)
def test_a_contender_gives_the_solution_everything_and_the_release_nothing(make_bench, contender):
    make_bench.check_marks(contender)
    assert make_bench.count == 1


def test_a_contender_that_says_otherwise_is_refused(make_bench):
    def prepare(assignment, students, top, folder, jobs):
        names = [exercise.id for exercise in assignment.exercises]
        marks = {(student.id, name): True for student in students for name in names}
        return Prepared(Job([["true"]], folder, {}), lambda: len(students), lambda: marks)

    with pytest.raises(Failed, match="generous is of no use here: in `feed_forward`"):
        make_bench.check_marks(Contender("generous", prepare, 1, 0, 0))


@pytest.mark.long
def test_a_dask_cluster_comes_up_and_goes(tmp_path):
    before = set(psutil.Process().children(recursive=True))
    with running_cluster(1, tmp_path) as cluster:
        started = set(psutil.Process().children(recursive=True)) - before
        with Client(cluster.address, set_as_default=False) as client:
            assert list(client.nthreads().values()) == [1]
    _, left = psutil.wait_procs(started, timeout=5)
    assert len(started) >= 2
    assert [one for one in left if one.status() != psutil.STATUS_ZOMBIE] == []


def test_a_cluster_that_does_not_come_up_says_why(tmp_path):
    surroundings = os.environ | {"DASK_DISTRIBUTED__COMM__DEFAULT_SCHEME": "carrier-pigeon"}
    with (
        pytest.raises(ClusterError, match=r"\(scheduler\) did not come up: .*failed"),
        running_cluster(1, tmp_path, surroundings),
    ):
        pass


def test_everything_is_printed_and_written(assignment, tmp_path, monkeypatch, capsys):
    def prepare(assignment, students, top, folder, jobs):
        marks = {(s.id, e.id): s.id != "release" for s in students for e in assignment.exercises}
        return Prepared(Job([], folder, {}), lambda: len(students), lambda: marks)

    for contender in (ours, nbgrader_in_cells):
        monkeypatch.setattr(contender, "prepare", prepare)
    monkeypatch.setattr(bench, "measure", lambda job, tick: Figures(2.0, 3.0, 4_000_000))
    words = [
        "--assignment",
        assignment.id,
        "--only",
        "ours",
        "--only",
        "nbgrader",
        "--where",
        "local",
        "--into",
        str(tmp_path),
    ]
    status = peers.main([*words, "--ours", "2,4", "--peers", "2", "--growth", "3", "--rounds", "2"])
    written = (tmp_path / "peers.md").read_text()
    said = capsys.readouterr().out
    assert status == 0
    for text in (written, said):
        for part in ("ours, again", "nbgrader autograde", "100.0%", "ours, as the class grows"):
            assert part in text
    rows = json.loads((tmp_path / "peers.json").read_text())["rows"]
    assert [(row["who"], row["submissions"]) for row in rows] == [
        *(("ours", 2), ("ours", 4), ("ours, again", 4)),
        *(("nbgrader autograde", 2), ("local", 3), ("local", 3)),
    ]
