"""Ctrl-C at any moment: what was finished is kept, one sentence is said, nothing runs on."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress

import psutil
import pytest
from submissions import verdicts

from autograder.cli.interrupt import stop_requests
from autograder.engine.course import read_course
from autograder.gradebook.nbgrader_course import NbgraderCourse
from tests.kills.kills import forkservers_below

pytestmark = pytest.mark.walls

# Whoever runs the tests may ignore Ctrl-C, and then so would a program that they start. That is not undone
# by `preexec_fn`: in a process with threads, what it runs may wait for a lock that nobody is left to open.
WITH_CTRL_C = (
    "import os, signal, sys; signal.signal(signal.SIGINT, signal.SIG_DFL); "
    "os.execv(sys.executable, [sys.executable, *sys.argv[1:]])"
)


@pytest.fixture
def started(hand_in, folder, assignment, solved) -> Iterator[subprocess.Popen]:
    """A run over eight submissions by two workers, in a session of its own."""
    last = assignment.exercises[-1].id
    for number in range(8):
        hand_in(f"s{number:03}", **{last: solved[last] + f"\n# {number}"})
    command = [sys.executable, "-c", WITH_CTRL_C, "-m", "autograder", "grade"]
    command += [str(folder / "submitted"), "--assignment", assignment.id]
    command += ["--results", str(folder / "results")]
    run = subprocess.Popen(
        [*command, "--course", str(folder), "--jobs", "2"],
        cwd=assignment.course.root,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    with run:
        yield run
        run.kill()


def press_ctrl_c(run: subprocess.Popen) -> str:
    """As a terminal does, where everybody in the foreground gets it; return what is said to it."""
    os.killpg(run.pid, signal.SIGINT)
    _, complaints = run.communicate(timeout=60)
    assert run.returncode == 130
    return complaints


def test_ctrl_c_leaves_what_was_finished_and_nothing_running(started, folder, assignment):
    _, first = started.stdout.readline(), started.stdout.readline()
    below = psutil.Process(started.pid).children(recursive=True)
    complaints = press_ctrl_c(started)
    assert "Stopped. What was finished is kept" in complaints and "Traceback" not in complaints
    assert first.startswith("1/8") and 1 <= len(verdicts(folder, assignment.id)) < 8
    assert not psutil.wait_procs(below, timeout=15)[1]
    rows = NbgraderCourse(read_course(folder)).rows(assignment)
    assert set(verdicts(folder, assignment.id)) == set(rows)


def test_ctrl_c_while_workers_start_gets_one_sentence(started, folder, assignment):
    below: list[psutil.Process] = []
    while not below:
        assert started.poll() is None
        with suppress(psutil.NoSuchProcess):  # another child of it is just ending
            below = list(forkservers_below(started.pid))
    complaints = press_ctrl_c(started)
    assert complaints.count("\n") == 1 and complaints.startswith("autograder: Stopped.")
    assert not psutil.wait_procs(below, timeout=15)[1] and verdicts(folder, assignment.id) == {}


class Interrupted:
    """Is cleaned up at the moment at which somebody presses Ctrl-C."""

    def __del__(self):
        signal.raise_signal(signal.SIGINT)


def test_ctrl_c_while_python_cleans_up_is_neither_lost_nor_complained_of(capsys):
    went_on = []

    def work() -> None:
        with stop_requests() as request:
            request.wait_for_it()
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
