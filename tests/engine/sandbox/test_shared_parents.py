"""Warm parents that were forked from one: their candidates know nothing of each other, and end with them."""

import contextlib
import os
import time
from collections.abc import Callable

import psutil
import pytest
from partial_walls import ask, number_of, run_in

from autograder.engine import SandboxError
from autograder.engine.limits import Limits
from autograder.engine.sandbox import ListeningParent, inspection, self_test, warm_parent

pytestmark = pytest.mark.walls

LIMITS = Limits()
SECONDS = 5.0  # a kill takes a moment
LOOKS = """
import os, stat
for number in range(1_000):
    try:
        print(number, stat.filemode(os.fstat(number).st_mode)[0])
    except OSError:
        pass
"""


@pytest.fixture(scope="module")
def address(level):
    """Where the one listens that all the others are forked from."""
    listening = ListeningParent(level)
    yield listening.address
    listening.end()


@pytest.fixture
def parents(address, level):
    made = [warm_parent.connect(address, level) for _ in range(2)]
    for parent in made:
        parent.await_ready()
    yield made
    for parent in made:
        parent.close()


@pytest.fixture
def start():
    """Start a candidate of a parent."""
    with contextlib.ExitStack() as opened:

        def one(parent):
            candidate = parent.start(LIMITS)
            opened.callback(candidate.channel.close)
            return candidate

        yield one


@pytest.fixture
def busy(start):
    """Have a candidate of a parent never answer again; return its number here."""

    def one(parent) -> int:
        candidate = start(parent)
        number = number_of(candidate)
        ask(candidate, "while True: pass")
        return number

    return one


def is_over(condition: Callable[[], bool]) -> bool:
    """Whether something is so before long."""
    deadline = time.monotonic() + SECONDS
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.01)
    return condition()


def runs(number: int) -> bool:
    """Whether a process does anything still: one that is dead may wait for being reaped."""
    try:
        return psutil.Process(number).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def test_candidates_of_two_parents_share_nothing(parents, start, level):
    one, other = map(start, parents)
    numbers = number_of(one), number_of(other)
    variables = self_test.ENVIRONMENTS[level]
    for pair in (numbers, numbers[::-1]):
        assert list(inspection.find_gaps(level, *pair, LIMITS, variables)) == []


def test_a_candidate_of_a_forked_parent_holds_its_channel_and_nothing_else(parents, start):
    """Beside it are the sockets of its parent, of the one before that and of a sibling."""
    start(parents[1])
    found = run_in(start(parents[0]), LOOKS).splitlines()
    assert found == ["0 c", "1 c", "2 c", "3 s"]


def test_a_candidate_ends_with_its_parent_whatever_ended_that(parents, busy):
    number = busy(parents[0])
    parent = psutil.Process(number).parent()
    assert runs(number)
    parent.kill()
    assert is_over(lambda: not runs(number))


def test_a_candidate_ends_when_nobody_commands_its_parent_any_more(parents, busy):
    number = busy(parents[0])
    assert runs(number)
    parents[0].close()
    assert is_over(lambda: not runs(number))


def test_a_parent_that_an_import_gave_threads_forks_nobody(parents, monkeypatch):
    really = parents[0]._command
    answer = {"imported": "json", "threads": 2}
    monkeypatch.setattr(
        parents[0],
        "_command",
        lambda said, *more, **options: (
            answer if "import" in said else really(said, *more, **options)
        ),
    )
    with pytest.raises(SandboxError, match="2 threads instead of one"):
        parents[0].start(LIMITS, ["json"])
    assert not parents[0].lives()


def test_a_parent_that_has_threads_before_its_first_fork_is_refused(parents, monkeypatch):
    monkeypatch.setattr(parents[0], "_command", lambda *_, **options: {"threads": 2})
    with pytest.raises(SandboxError, match="2 threads instead of one"):
        parents[0].await_ready()
    assert not parents[0].lives()


@pytest.mark.parametrize("command", [{"import": "json"}, {"stay": [*os.sched_getaffinity(0)]}])
def test_a_parent_says_how_many_threads_it_has(parents, command):
    assert parents[0]._command(command)["threads"] == 1
