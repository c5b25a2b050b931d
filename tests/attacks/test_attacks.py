"""Every attack gains nothing, ends in the state that is its due, and harms nobody.

An attack is a file: a cell of its own with a wrong solution below it (in_cell/), or the body of a
wrong `forward` (in_forward/). Comments at its top say what must come of it:

    # cell: the exercise that it stands in (attention)
    # state: of that exercise (answered)
    # lost: the exercise that loses its points, or "all" (the one that it stands in)
    # keeps: points that it earns all the same (0)
    # prints: a pattern of what it printed; so we know that it got as far as the wall
    # says: words of a message in the verdict

Beside each attack an innocent submission is graded by another examiner, and after it one by the same.
"""

import json
import os
import re
import secrets
import subprocess
import sys
import textwrap
from dataclasses import dataclass, field
from pathlib import Path

import psutil
import pytest

from autograder.authoring.sample_class import SampleSubmission, write_submission

pytestmark = pytest.mark.walls

HERE = Path(__file__).parent
FILES = sorted([*HERE.glob("in_cell/*.py"), *HERE.glob("in_forward/*.py")])
NOTE = re.compile(r"# (cell|state|lost|keeps|prints|says): (.*)\n")
WRONG = """
class Attention(nn.Module):
    def __init__(self, mask_future=False):
        super().__init__()

    def forward(self, query, key, value, attention_mask=None):
{body}
        return query
"""
PARENT_PROCESSES = 3  # processes of a warm parent: bubblewrap, the first in its namespace, itself


@dataclass
class Attack:
    source: str
    cell: str = "attention"
    state: str = "answered"
    lost: str = ""
    keeps: str = "0"
    prints: str = ""
    says: str = ""

    def expected_loss(self, points: dict[str, float]) -> dict[str, float]:
        names = points if self.lost == "all" else [self.lost or self.cell]
        return {name: points[name] - float(self.keeps) for name in names}


def read_attack(path: Path) -> Attack:
    text = path.read_text()
    if path.parent.name == "in_cell":
        own = "\n# cell: " in f"\n{text}"  # a wrong solution of its own, of that exercise
        source = text if own else text + WRONG.format(body="        pass")
    else:
        source = WRONG.format(body=textwrap.indent(text, " " * 8))
    return Attack(source, **dict(NOTE.findall(text)))


@dataclass
class Examiner:
    """Another process that grades, see worker.py."""

    secret: str
    process: subprocess.Popen = field(init=False)

    def __post_init__(self) -> None:
        self.process = subprocess.Popen(
            [sys.executable, str(HERE / "worker.py"), self.secret],
            env=os.environ | {"SECRET": self.secret},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self.process.stdout.readline() == "ready\n"

    def begin(self, path: Path) -> None:
        self.process.stdin.write(json.dumps({"student": "s001", "path": str(path)}) + "\n")
        self.process.stdin.flush()

    def finish(self) -> dict:
        return json.loads(self.process.stdout.readline())

    def left(self) -> tuple[int, int]:
        """How many processes and descriptors it holds."""
        process = psutil.Process(self.process.pid)
        return len(process.children(recursive=True)), process.num_fds()

    def leave(self) -> None:
        self.process.stdin.close()
        assert self.process.wait(30) == 0
        self.process.stdout.close()


@dataclass
class Setup:
    attacked: Examiner
    beside: Examiner
    innocent: Path
    hidden: Path  # a file of the host
    secret: str
    points: dict[str, float]


@pytest.fixture(scope="module")
def setup(assignment, solved, tmp_path_factory):
    secret = f"planted-{secrets.token_hex(8)}"
    folder = tmp_path_factory.mktemp("attacks")
    innocent = write_submission(
        assignment, folder / "s002" / assignment.id, SampleSubmission(solved, "")
    )
    (folder / "hidden").write_text(secret)
    attacked, beside = Examiner(secret), Examiner(secret)
    points = {exercise.id: exercise.points for exercise in assignment.exercises}
    yield Setup(attacked, beside, innocent, folder / "hidden", secret, points)
    attacked.leave()
    beside.leave()


def grade_attack(setup: Setup, path: Path) -> dict:
    """Grade an attack, with an innocent submission beside it and one after it; return the outcome."""
    before = setup.attacked.left()
    setup.attacked.begin(path)
    setup.beside.begin(setup.innocent)
    outcome = setup.attacked.finish()
    setup.attacked.begin(setup.innocent)
    for graded in (setup.beside.finish(), setup.attacked.finish()):
        assert graded["verdict"]["points"] == graded["verdict"]["max_points"]
    assert setup.attacked.left() == before and before[0] == PARENT_PROCESSES
    assert setup.secret not in json.dumps(outcome)
    return outcome


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_an_attack_gains_nothing_and_harms_nobody(path, setup, hand_in):
    attack = read_attack(path)
    source = attack.source.replace("HOST_FILE", str(setup.hidden))
    outcome = grade_attack(setup, hand_in(**{attack.cell: source}))
    verdict, shown = outcome["verdict"], outcome["shown"]
    assert verdict["state"] == "graded"
    exercises = {exercise["id"]: exercise for exercise in verdict["exercises"]}
    lost = {
        n: e["max_points"] - e["points"]
        for n, e in exercises.items()
        if e["points"] < e["max_points"]
    }
    assert lost == attack.expected_loss(setup.points)
    assert exercises[attack.cell]["state"] == attack.state
    assert re.search(attack.prints, shown), shown
    messages = " ".join(check["message"] or "" for check in exercises[attack.cell]["checks"])
    assert attack.says in messages
    assert "[[" not in messages  # nothing of a hidden tensor
    assert "text/html" not in shown and "javascript" not in shown


def test_every_attack_in_a_cell_shows_that_it_got_to_its_wall():
    for path in FILES:
        attack = read_attack(path)
        silent = path.parent.name == "in_cell" and attack.state == "answered" and not attack.prints
        assert not silent or path.stem in ("floods_the_display", "shows_scripts"), path
