"""Every attack runs, gains nothing, ends in the state that is its due, and harms nobody.

See attack.py for what an attack is. Beside each of them an innocent submission is graded by another
examiner, and after it one by the same.
"""

import json
import os
import re
import secrets
import struct
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

import psutil
import pytest
from attacks.attack import (
    ATTACKS,
    HERE,
    PROVE,
    WRONG,
    WRONG_TEST,
    first_of_each_state,
    proves,
    read_attack,
)
from levels import DEFAULT, LEVELS, needs_landlock

from autograder import find_assignment
from autograder.authoring.sample_class import SampleSubmission, solutions, write_submission
from autograder.engine.limits import LANDLOCK, NAMESPACES, WALLED
from autograder.engine.sandbox.bubblewrap import _find_bubblewrap
from tests.walls.table import WALLS

pytestmark = pytest.mark.slow

INNOCENT = "attention"  # what the innocent submission solves
PARENT_PROCESSES = {  # of a warm parent
    NAMESPACES: 3,  # bubblewrap, the first in its namespace, itself
    LANDLOCK: 1,
}
UNWALLED = {name: text for name, text in ATTACKS.items() if "# unwalled: " in text}
FIRSTS = first_of_each_state()
NOTICES_A_WALL = " ".join(test for wall in WALLS for test in wall.tests)
FEW = (  # of each kind: files, processes, signals, threads, sockets, limits
    "bombs_with_processes bombs_with_threads kills_its_parent opens_sockets raises_its_limits"
    " reads_other_submissions reads_what_the_kernel_tells takes_all_memory writes_where_others_read"
)


def _marks(level: str, number: int, name: str) -> list[pytest.MarkDecorator]:
    """Return the marks of an attack. In `make test` are, behind the walls that this host chooses, every
    sixteenth, the first of each state, and those that notice that a wall is down; behind the others,
    FEW.
    """
    marks = [pytest.mark.namespaces if level == NAMESPACES else needs_landlock]
    if level == DEFAULT:
        is_short = number % 16 == 0 or name in FIRSTS or f"-{name}]" in NOTICES_A_WALL
    else:
        is_short = name.partition("/")[2] in FEW.split()
    return marks if is_short else [*marks, pytest.mark.long]


def _is_wrong_answer(name: str) -> bool:
    """Whether an attack reaches for nothing of the system, and its exercise is graded to its end. Only
    the examiner holds it, the same behind each kind of walls.
    """
    is_graded = read_attack(name).state in ("answered", "error")
    return is_graded and not name.startswith("in_cell/") and not OF_THE_SYSTEM.search(ATTACKS[name])


OF_THE_SYSTEM = re.compile(r"\b(os|ctypes|signal|struct|gc|threading|multiprocessing|socket)\b")
ATTACKED = [
    pytest.param(level, name, marks=_marks(level, number, name), id=f"{level}-{name}")
    for level in WALLED
    for number, name in enumerate(ATTACKS)
    if level == DEFAULT or not _is_wrong_answer(name)
]
SEALED = re.compile(  # what an attack that tries a wall of the sandbox does
    r"\.(fork|kill|syscall|unshare|execv|socket|setrlimit|shmget|flock|posix_fadvise|setpriority)\("
    r"|environ|get_objects|get_referents|_getframe|/proc|/etc|os\.walk|submitted|ipynb"
)


@dataclass
class Examiner:
    """Another process that grades, see worker.py."""

    secret: str
    level: str
    process: subprocess.Popen = field(init=False)

    def __post_init__(self) -> None:
        self.process = subprocess.Popen(
            [sys.executable, str(HERE / "worker.py"), self.secret, self.level],
            env=os.environ | {"SECRET": self.secret},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self.process.stdout.readline() == "ready\n"

    def begin(self, path: Path, assignment: str = "encoder-layer") -> None:
        request = {"student": "s001", "assignment": assignment, "path": str(path)}
        self.process.stdin.write(json.dumps(request) + "\n")
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


@pytest.fixture(scope="module")
def setup_behind(assignment, solved, tmp_path_factory):
    """Return the examiners behind one kind of walls; those behind the other kind leave."""
    secret = f"planted-{secrets.token_hex(8)}"
    folder = tmp_path_factory.mktemp("attacks")
    answer = {INNOCENT: solved[INNOCENT]}  # one exercise: it is graded twice for each attack
    innocent = write_submission(
        assignment, folder / "s002" / assignment.id, SampleSubmission(answer, "")
    )
    (folder / "hidden").write_text(secret)
    setups: dict[str, Setup] = {}

    def leave() -> None:
        while setups:
            _, setup = setups.popitem()
            setup.attacked.leave()
            setup.beside.leave()

    def setup_behind(level: str) -> Setup:
        if level not in setups:
            leave()
            attacked, beside = Examiner(secret, level), Examiner(secret, level)
            setups[level] = Setup(attacked, beside, innocent, folder / "hidden", secret)
        return setups[level]

    yield setup_behind
    leave()


@pytest.fixture
def hand_in_to(course, tmp_path):
    """Write a submission: an assignment's solution with one other cell."""

    def write(name: str, cell: str, source: str) -> Path:
        assignment = find_assignment(name, course)
        sample = SampleSubmission(solutions(assignment) | {cell: source}, "")
        return write_submission(assignment, tmp_path / "submitted" / "s001" / name, sample)

    return write


def grade_attack(setup: Setup, path: Path, assignment: str = "encoder-layer") -> dict:
    """Grade an attack, with an innocent submission beside it and one after it; return the outcome."""
    before = setup.attacked.left()
    setup.attacked.begin(path, assignment)
    setup.beside.begin(setup.innocent)
    outcome = setup.attacked.finish()
    setup.attacked.begin(setup.innocent)
    for graded in (setup.beside.finish(), setup.attacked.finish()):
        (answered,) = (one for one in graded["verdict"]["exercises"] if one["id"] == INNOCENT)
        assert answered["points"] == answered["max_points"] == graded["verdict"]["points"]
    assert setup.attacked.left() == before and before[0] == PARENT_PROCESSES[setup.attacked.level]
    assert setup.secret not in json.dumps(outcome)
    return outcome


@pytest.mark.walls
@pytest.mark.parametrize(("level", "name"), ATTACKED)
def test_an_attack_proves_that_it_ran_gains_nothing_and_harms_nobody(
    level, name, setup_behind, hand_in_to
):
    setup = setup_behind(level)
    attack = read_attack(name)
    source = attack.source.replace("HOST_FILE", str(setup.hidden))
    submission = hand_in_to(attack.assignment, attack.cell, source)
    outcome = grade_attack(setup, submission, attack.assignment)
    assert outcome["verdict"]["state"] == "graded"
    assert attack.unmet(outcome, level) == [], outcome


@pytest.mark.walls
@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize(
    ("practical", "cell", "nothing"),
    [  # neither a cell nor a function of which only `pass` is left
        ("encoder-layer", "attention", WRONG.format(body="        pass")),
        ("layer-norm", "who_depends", WRONG_TEST.format(body="    pass")),
    ],
    ids=["forward", "depends_on"],
)
def test_nothing_in_place_of_an_attack_proves_nothing(
    level, setup_behind, hand_in_to, practical, cell, nothing
):
    """What is left of an attack would not pass the test above."""
    setup = setup_behind(level)
    submission = hand_in_to(practical, cell, PROVE + nothing)
    outcome = grade_attack(setup, submission, practical)
    assert outcome["proofs"] == []
    attacks = [read_attack(name) for name in ATTACKS]
    attacks = [attack for attack in attacks if attack.assignment == practical]
    assert attacks and all("proof" in attack.unmet(outcome, level) for attack in attacks)


@pytest.mark.namespaces
@pytest.mark.parametrize("name", UNWALLED)
def test_without_walls_an_attack_succeeds(name):
    """So it does what it says; what holds it elsewhere are the walls."""
    attack, secret = read_attack(name), f"planted-{secrets.token_hex(8)}"
    text = PROVE + UNWALLED[name].replace("HOST_FILE", "/tmp/planted-hidden")
    proofs = [proof.replace(secret, "planted-0") for proof in run_unwalled(text, secret)]
    assert proves(attack.unwalled, proofs), proofs


def test_every_attack_on_a_wall_of_the_sandbox_has_such_a_control():
    """Those of `forward` and those that only answer wrongly are held by no wall of the sandbox."""
    cells = {name: text for name, text in ATTACKS.items() if name.startswith("in_cell/")}
    on_walls = {name for name, text in cells.items() if SEALED.search(text)}
    of_its_own = {"in_cell/kills_itself", "in_cell/patches_its_own_server"}
    assert on_walls - UNWALLED.keys() == of_its_own


def run_unwalled(source: str, secret: str) -> list[str]:
    """Run an attack in unwalled.py, and return its proofs.

    The box around it holds what would reach the machine: it has its own processes, loopback, IPC and
    disk in memory, all gone afterwards, and an ordinary user.
    """
    python = Path(sys.executable).resolve()
    words = ["--unshare-user", "--uid", "1000", "--gid", "1000", "--unshare-pid", "--unshare-net"]
    words += ["--unshare-ipc", "--new-session", "--proc", "/proc", "--dev", "/dev"]
    for folder in ("/usr", "/bin", "/lib", "/lib64", "/etc", sys.base_prefix):
        words += ["--ro-bind-try", folder, folder]
    for folder in ("/app/autograder", "/packages/torch", "/workdir", "/tmp"):
        words += ["--dir", folder]
    words += ["--ro-bind", str(HERE), "/attacks"]
    done = subprocess.run(
        [_find_bubblewrap(), *words, "--", str(python), "-I", "-S", "/attacks/unwalled.py", secret],
        input=source.encode(),
        env={"SECRET": secret, "PATH": os.defpath},
        capture_output=True,
        timeout=60,
    )
    return [*frames(done.stdout), done.stderr.decode()]


def frames(data: bytes):
    """Yield the proofs in frames without a body."""
    while data:
        (size,) = struct.unpack(">I", data[:4])
        yield json.loads(data[8 : 8 + size])["proof"]
        data = data[8 + size :]
