"""`grade --watch` as it is typed: killed, stopped, refused."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest
from submissions import verdicts

from autograder.cli.interrupt import stop_requests
from autograder.cli.main import main
from autograder.engine.course import read_course
from autograder.engine.results import ResultsFolder
from autograder.engine.verdict import verdict_files
from autograder.gradebook.nbgrader_course import NbgraderCourse
from tests.benchmarks.cluster import running_cluster

WAIT_SECONDS = 120.0  # for what has to happen; a slow machine may take long
# Whoever runs the tests may ignore Ctrl-C, and then so would a program that they start.
WITH_CTRL_C = (
    "import os, signal, sys; signal.signal(signal.SIGINT, signal.SIG_DFL); "
    "os.execv(sys.executable, [sys.executable, *sys.argv[1:]])"
)


class Watching:
    """Starts of the command over one folder, and what it says."""

    def __init__(self, assignment, folder: Path):
        self.assignment = assignment
        self.folder = folder
        self.log = folder / "watch.log"
        (folder / "submitted").mkdir()

    def start(self, *where: str) -> None:
        """`where`: the workers are, two here unless it says otherwise."""
        command = [sys.executable, "-c", WITH_CTRL_C, "-m", "autograder", "grade", "--watch"]
        command += [str(self.folder / "submitted"), "--assignment", self.assignment.id]
        command += ["--results", str(self.folder / "results"), "--course", str(self.folder)]
        with self.log.open("a") as log:
            self.run = subprocess.Popen(
                [*command, *(where or ("--jobs", "2"))],
                cwd=self.assignment.course.root,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def wait_for(self, happened: Callable[[], bool]) -> None:
        until = time.monotonic() + WAIT_SECONDS
        while not happened():
            assert self.run.poll() is None and time.monotonic() < until, self.log.read_text()
            time.sleep(0.05)

    def end(self, how: signal.Signals) -> int:
        """Send this signal to the process alone; return its exit status once nothing of it is left."""
        below = psutil.Process(self.run.pid).children(recursive=True)
        self.run.send_signal(how)
        status = self.run.wait(timeout=WAIT_SECONDS)
        assert not psutil.wait_procs(below, timeout=15)[1]
        return status

    def verdicts(self) -> dict[str, dict]:
        return verdicts(self.folder, self.assignment.id)

    def files(self) -> dict[str, tuple[int, int]]:
        """Which file each verdict is: another one each time it is written."""
        found = verdict_files(self.folder / "results" / self.assignment.id)
        return {file.stem: (file.stat().st_ino, file.stat().st_mtime_ns) for file in found}


@pytest.fixture
def watching(assignment, folder) -> Iterator[Watching]:
    watching = Watching(assignment, folder)
    yield watching
    if watching.run.poll() is None:
        os.killpg(watching.run.pid, signal.SIGKILL)
        watching.run.wait()


@pytest.fixture
def cells(assignment, solved) -> Callable[[str], dict[str, str]]:
    """The cells of a solution that is nobody else's."""
    last = assignment.exercises[-1].id
    return lambda text: {last: f"{solved[last]}\n# {text}"}


@pytest.mark.long
@pytest.mark.walls
def test_killed_and_started_again_nothing_is_lost_and_nothing_graded_twice(
    watching, hand_in, cells, assignment, folder
):
    students = [f"s{number:03}" for number in range(6)]
    for student in students:
        hand_in(student, **cells(student))
    watching.start()
    watching.wait_for(lambda: len(watching.files()) >= 1)
    assert watching.end(signal.SIGKILL) == -signal.SIGKILL
    before = watching.files()
    assert 1 <= len(before) < len(students) and all(watching.verdicts().values())

    watching.start()
    watching.wait_for(lambda: len(watching.files()) >= len(students))
    hand_in("s900", **cells("s900"))  # somebody new, while workers are idle
    watching.wait_for(lambda: "s900" in watching.files())
    assert watching.end(signal.SIGTERM) == 0
    assert {name: file for name, file in watching.files().items() if name in before} == before
    assert all(json.loads(file.read_text()) for file in (folder / "results").rglob("*.json"))
    rows = NbgraderCourse(read_course(folder)).rows(assignment)
    assert set(rows) == set(watching.verdicts()) == {*students, "s900"}
    said = watching.log.read_text()
    assert "The next start goes on" not in said and "Traceback" not in said
    table = (folder / "results" / assignment.id / "grades.csv").read_text()
    assert table.count(",graded,") == len(students) + 1


@pytest.mark.walls
@pytest.mark.long
def test_ctrl_c_finishes_what_is_being_graded_and_counts_the_rest(
    watching, hand_in, cells, assignment, folder
):
    for number in range(12):
        hand_in(f"s{number:03}", **cells(str(number)))
    watching.start()
    watching.wait_for(lambda: len(watching.files()) >= 1)
    assert watching.end(signal.SIGINT) == 3
    said = watching.log.read_text()
    done = len(watching.files())
    assert f"{done} graded, 0 as they were. " in said
    assert f"The next start goes on with {12 - done} more: " in said and "Traceback" not in said
    assert set(NbgraderCourse(read_course(folder)).rows(assignment)) == set(watching.files())


@pytest.mark.walls
@pytest.mark.long
def test_the_workers_of_a_cluster_take_what_arrives(watching, hand_in, cells, tmp_path):
    with running_cluster(1, tmp_path / "dask") as cluster:
        watching.start("--scheduler", cluster.address)
        for student in ("s001", "s002"):
            hand_in(student, **cells(student))
            watching.wait_for(lambda student=student: student in watching.files())
        assert watching.end(signal.SIGTERM) == 0
    assert {one["state"] for one in watching.verdicts().values()} == {"graded"}


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--regrade"], "--regrade is not allowed with --watch"),
        (["--seed", "1"], "--seed is not allowed with --watch"),
        (["--changes", "write"], "--changes is not allowed with --watch"),
        (["--sandbox", "off"], "whoever wants that adds --yes-run-untrusted"),
    ],
)
def test_what_does_not_go_with_it_is_said_in_one_line(assignment, tmp_path, capfd, words, sentence):
    place = ["grade", str(tmp_path), "--watch", "--assignment", assignment.id]
    assert main([*place, *words]) == 2
    said = capfd.readouterr().err
    assert sentence in said and said.count("\n") == 1


def test_one_notebook_or_no_folder_is_not_watched(assignment, tmp_path, capfd):
    (tmp_path / "one.ipynb").write_text("{}")
    for place, sentence in (
        ("one.ipynb", "takes a folder of submissions, and"),
        ("no", "There is no"),
    ):
        words = ["grade", str(tmp_path / place), "--watch", "--assignment", assignment.id]
        assert main(words) == 2 and sentence in capfd.readouterr().err


def test_of_several_assignments_one_has_to_be_named(course, tmp_path, capfd):
    assert main(["grade", str(tmp_path), "--watch", "--course", str(course.root)]) == 2
    said = capfd.readouterr().err
    assert "--watch is for one assignment: add --assignment" in said and said.count("\n") == 1


def test_two_runs_do_not_grade_into_one_folder(assignment, tmp_path, capfd):
    words = ["grade", str(tmp_path), "--watch", "--assignment", assignment.id, "--no-gradebook"]
    with ResultsFolder(tmp_path / "r", assignment).exclusively():
        assert main([*words, "--results", str(tmp_path / "r")]) == 2
    assert "Another run is grading into" in capfd.readouterr().err


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_the_first_request_is_noted_and_the_second_stops_at_once(number):
    before = signal.getsignal(number)
    with stop_requests() as request:
        request.wait_for_it()
        signal.raise_signal(number)
        assert request.asked
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(number)
    assert signal.getsignal(number) is before


def test_while_it_starts_a_request_stops_at_once():
    with stop_requests(), pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGTERM)
