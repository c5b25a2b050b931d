"""Both kinds of walls give the same verdict."""

import pytest
from levels import needs_landlock
from submissions import UNDIAGNOSED, exercise, lost

from autograder.engine.grading import Grader
from autograder.engine.limits import WALLED
from autograder.engine.sandbox import choose_walls

pytestmark = [pytest.mark.walls, pytest.mark.namespaces, needs_landlock]

SEED = 5
ATTACKS = """
import os, socket, subprocess, threading
refused = 0
for way in (os.fork, socket.socketpair, lambda: subprocess.run(["true"]), lambda: os.kill(2, 15)):
    try:
        way()
    except OSError:
        refused += 1
print(refused, "refused")
pieces = []
try:
    while True:
        pieces.append(bytes(100 << 20))  # never touched: resident memory has a limit of its own
finally:
    pieces.clear()  # how much is left for other cells, a few pages decide
"""
ANSWERS = {  # in the place of `attention`, and the state of that exercise
    "right": ("{right}", "answered"),
    "wrong": ("{wrong}", "answered"),
    "raises": ("{right}\nAttention.forward = None\n1 / 0", "error"),
    "crashes": ("import os; os._exit(0)", "crashed"),
    "kills itself": ("import os; os.kill(os.getpid(), 9)", "crashed"),
    "hostile": (ATTACKS, "out_of_memory"),
    "endless": ("while True: pass", "timed_out"),
}


@pytest.fixture(scope="module")
def graders(assignment):
    """A grader behind each kind of walls."""
    graders = [Grader(assignment, choose_walls(level), UNDIAGNOSED, SEED) for level in WALLED]
    yield graders
    for grader in graders:
        grader.walls.close()


@pytest.mark.parametrize("name", ANSWERS)
def test_a_verdict_is_the_same_behind_both_kinds_of_walls(name, graders, hand_in, solved, unscaled):
    text, state = ANSWERS[name]
    source = text.replace("{right}", solved["attention"]).replace("{wrong}", unscaled.cells[0])
    path = hand_in(attention=source)
    first, second = (grader.grade("s001", path) for grader in graders)
    assert first.outputs == second.outputs
    verdicts = [graded.verdict.to_json() for graded in (first, second)]
    assert [verdict["stamp"].pop("sandbox") for verdict in verdicts] == [*WALLED]
    for verdict in verdicts:
        del verdict["seconds"]  # of this machine, just now
    assert verdicts[0] == verdicts[1]
    assert exercise(first.verdict, "attention").state == state
    assert (lost(first.verdict) == {}) is (name == "right")
