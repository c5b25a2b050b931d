"""`grade` and `grade --watch` that are stopped or killed at any moment: what was finished is kept, one
sentence is said, nothing runs on, and the next start goes on.
"""

import json
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import psutil
import pytest
from submissions import hand_in_comments, verdicts
from typed_commands import Started, refused

from autograder._commands.interrupt import stop_requests
from autograder.engine import ResultsFolder
from autograder.engine.verdicts import verdict_files
from autograder.gradebook.sync.tables import read_marks
from tests.benchmarks.cluster import running_cluster
from tests.kills.kills import forkservers_below

WAIT_SECONDS = 120.0  # for what has to happen; a slow machine may take long


class Grading:
    """Starts of the command in a course of its own, and what they leave."""

    def __init__(self, assignment, log: Path):
        self.assignment = assignment
        self.top = assignment.course.root
        self.log = log
        (self.top / "submitted").mkdir()

    def hand_in(self, *students: str) -> None:
        hand_in_comments(self.assignment, self.top / "submitted", students)

    def start(self, *more: str) -> None:
        words = ["grade", self.top / "submitted", "--assignment", self.assignment.id]
        words += ["--results", self.top / "results", "--course", self.top]
        self.run = Started(self.log, *words, *more)

    def wait_for(self, happens: Callable[[], bool]) -> None:
        until = time.monotonic() + WAIT_SECONDS
        while not happens():
            assert self.run.process.poll() is None and time.monotonic() < until, self.run.said
            time.sleep(0.02)

    @property
    def verdicts(self) -> dict[str, dict]:
        return verdicts(self.top, self.assignment.id)

    @property
    def files(self) -> dict[str, tuple[int, int]]:
        """Which file each verdict is: another one each time it is written."""
        found = verdict_files(self.top / "results" / self.assignment.id)
        return {file.stem: (file.stat().st_ino, file.stat().st_mtime_ns) for file in found}

    @property
    def entered(self) -> set[str]:
        return set(read_marks(f"sqlite:///{self.top}/gradebook.db", self.assignment.id))


@pytest.fixture
def grading(copied, tmp_path) -> Iterator[Grading]:
    grading = Grading(copied, tmp_path / "log")
    yield grading
    grading.run.end()


@pytest.mark.walls
def test_ctrl_c_leaves_what_was_finished_and_nothing_running(grading):
    grading.hand_in(*(f"s{number:03}" for number in range(40)))
    grading.start("--jobs", "2")
    grading.wait_for(lambda: len(grading.files) >= 1)
    assert grading.run.send(signal.SIGINT, to_all=True) == 130
    said = grading.run.said
    assert "Stopped. What was finished is kept" in said and "Traceback" not in said
    assert 1 <= len(grading.verdicts) < 40 and grading.entered == set(grading.verdicts)


@pytest.mark.walls
def test_ctrl_c_while_workers_start_gets_one_sentence(grading):
    def workers_start() -> bool:
        with suppress(psutil.NoSuchProcess):  # another child of it is just ending
            return bool(list(forkservers_below(grading.run.process.pid)))
        return False

    grading.hand_in("s001", "s002")
    grading.start("--jobs", "2")
    grading.wait_for(workers_start)
    assert grading.run.send(signal.SIGINT, to_all=True) == 130
    *before, sentence = grading.run.said.splitlines()
    assert sentence.startswith("autograder: Stopped.") and "Traceback" not in grading.run.said
    assert set(before) <= {
        f"{grading.assignment.id}: 2 submissions.",
        "Sandbox: namespaces.",  # if the machine is so busy that a worker has started by now
    }
    assert grading.entered == set(grading.verdicts)


@pytest.mark.long
@pytest.mark.walls
def test_a_watch_that_is_killed_goes_on_and_grades_nothing_twice(grading):
    students = [f"s{number:03}" for number in range(30)]
    grading.hand_in(*students)
    grading.start("--watch", "--jobs", "2")
    grading.wait_for(lambda: len(grading.files) >= 1)
    assert grading.run.send(signal.SIGKILL) == -signal.SIGKILL
    before = grading.files
    assert 1 <= len(before) < len(students) and all(grading.verdicts.values())

    grading.start("--watch", "--jobs", "2")
    grading.wait_for(lambda: len(grading.files) >= len(students))
    grading.hand_in("s900")  # somebody new, while workers are idle
    grading.wait_for(lambda: "s900" in grading.files)
    assert grading.run.send(signal.SIGTERM) == 0
    assert {name: file for name, file in grading.files.items() if name in before} == before
    assert all(json.loads(file.read_text()) for file in (grading.top / "results").rglob("*.json"))
    assert grading.entered == set(grading.verdicts) == {*students, "s900"}
    said = grading.run.said
    assert "The next start goes on" not in said and "Traceback" not in said
    table = (grading.top / "results" / grading.assignment.id / "grades.csv").read_text()
    assert table.count(",graded,") == len(students) + 1


@pytest.mark.long
@pytest.mark.walls
def test_ctrl_c_finishes_what_a_watch_is_grading_and_counts_the_rest(grading):
    grading.hand_in(*(f"s{number:03}" for number in range(40)))
    grading.start("--watch", "--jobs", "2")
    grading.wait_for(lambda: len(grading.files) >= 1)
    assert grading.run.send(signal.SIGINT) == 3
    said, done = grading.run.said, len(grading.files)
    assert f"{done} graded, 0 as they were. " in said
    assert f"The next start goes on with {40 - done} more: " in said and "Traceback" not in said
    assert grading.entered == set(grading.files)


@pytest.mark.long
@pytest.mark.walls
def test_the_workers_of_a_cluster_take_what_arrives(grading, tmp_path):
    with running_cluster(0, tmp_path / "dask") as cluster:
        cluster.start_worker("worker", course=grading.top)
        grading.start("--watch", "--scheduler", cluster.address)
        for student in ("s001", "s002"):
            grading.hand_in(student)
            grading.wait_for(lambda student=student: student in grading.files)
        assert grading.run.send(signal.SIGTERM) == 0
    assert {one["state"] for one in grading.verdicts.values()} == {"graded"}


@pytest.mark.parametrize("how", [[], ["--watch"]], ids=["once", "watch"])
def test_two_runs_do_not_grade_into_one_folder(small, tmp_path, how):
    hand_in_comments(small, tmp_path / "submitted", ["s001"])
    words = [tmp_path / "submitted", "--results", tmp_path / "results", "--no-gradebook"]
    words += ["--assignment", small.id, "--course", small.course.root]
    with ResultsFolder(tmp_path / "results", small).exclusively():
        assert "Another run is grading into" in refused("grade", *words, *how)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_the_first_request_is_noted_and_the_second_stops_at_once(number):
    handler = signal.default_int_handler
    before = signal.signal(number, handler)  # what runs in the background may ignore Ctrl-C
    try:
        with stop_requests() as request:
            request.defer()
            signal.raise_signal(number)
            assert request.asked
            with pytest.raises(KeyboardInterrupt):
                signal.raise_signal(number)
        assert signal.getsignal(number) is handler
    finally:
        signal.signal(number, before)


def test_while_it_starts_a_request_stops_at_once():
    with stop_requests(), pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGTERM)


class Interrupted:
    """Is cleaned up at the moment at which somebody presses Ctrl-C."""

    def __del__(self):
        signal.raise_signal(signal.SIGINT)


@pytest.mark.parametrize("deferred", [True, False])
def test_ctrl_c_while_python_cleans_up_is_neither_lost_nor_complained_of(capsys, deferred):
    went_on = []

    def work() -> None:
        with stop_requests() as request:
            if deferred:
                request.defer()
            Interrupted()
            went_on.append(True)
            request.raise_if_asked()

    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            work()
    finally:
        signal.signal(signal.SIGINT, before)
    assert went_on and capsys.readouterr().err == ""
