"""What a candidate can reach: the channel, in namespaces some small folders, and nothing else."""

import subprocess
import sys
from functools import partial

import psutil
import pytest
from levels import in_namespaces
from partial_walls import printed
from sandboxes import has_landlock

from autograder.engine import SandboxError
from autograder.engine.limits import LANDLOCK, NAMESPACES, PRACTICE, Limits
from autograder.engine.sandbox import bubblewrap, choose_walls, landlock, started

pytestmark = pytest.mark.walls
PROCESSES = {NAMESPACES: 3, LANDLOCK: 1}  # of a warm parent: bubblewrap, the first inside, itself


@pytest.fixture(scope="module")
def inside(walls):
    """Run Python behind the walls; return what it printed."""
    return partial(printed, walls=walls)


def family(pid: int) -> list[int]:
    """The processes that descend from this one."""
    return [child.pid for child in psutil.Process(pid).children(recursive=True)]


HONEST = """
import concurrent.futures, io, os, signal, sqlite3, threading, time
import matplotlib.pyplot as plt, torch

def late(*_): raise TimeoutError
signal.signal(signal.SIGALRM, late)
try:
    signal.setitimer(signal.ITIMER_REAL, 0.01)
    while True: pass
except TimeoutError: print("alarm")
sqlite3.connect(":memory:").execute("create table a (b int)")
with concurrent.futures.ThreadPoolExecutor(3) as pool: print(sum(pool.map(abs, range(9))))
print(torch.ones(2).half().float().sum().item())  # the first conversion asks for the processor
torch.set_num_threads(2); (torch.randn(300, 300) @ torch.randn(300, 300)).sum()
print(threading.Event().wait(0.01), threading.Lock().acquire(timeout=1))
plt.plot([1, 2]); plt.savefig(picture := io.BytesIO()); plt.close()
print("plots", len(picture.getvalue()) > 0, os.cpu_count() > 0)
time.sleep(0.01); os.kill(os.getpid(), 0); os.urandom(4); os.uname(); os.times()
print("end")
"""
HONEST_FILES = """
import mmap, os, shutil, tempfile
import matplotlib.pyplot as plt, numpy as np, torch

with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryFile() as file:
    file.write(b"x"); file.flush(); os.fsync(file.fileno())
    os.makedirs(folder + "/a/b"); open(folder + "/a/b/c", "w").write("x")
    shutil.copytree(folder, "copied"); os.rename("copied", "moved"); shutil.rmtree("moved")
print("files")
numbers = np.memmap("numbers", dtype="float32", mode="w+", shape=(10, 10)); numbers.flush()
np.save("n.npy", numbers); torch.save({"n": torch.ones(3)}, "n.pt"); torch.load("n.pt")
print("stores")
plt.plot([1, 2]); plt.savefig("p.png"); plt.savefig("p.pdf"); plt.close()
print("plots", os.path.getsize("p.png") > 0, shutil.disk_usage(".").free > 0)
"""


def test_what_honest_notebooks_do_is_not_refused(inside):
    assert inside(HONEST).split("\n") == [
        *("alarm", "36", "2.0", "False True", "plots True True", "end")
    ]


@in_namespaces
def test_what_honest_notebooks_write_is_not_refused(inside):
    assert inside(HONEST_FILES).split("\n") == ["files", "stores", "plots True True"]


DRAW = "import random, numpy, torch; print(torch.rand(2), numpy.random.rand(2), random.random())"


def test_each_candidate_begins_with_the_same_random_numbers(inside, level):
    """torch begins with others in each process, and a verdict must not depend on the process."""
    others = choose_walls(level)
    drawn = printed(DRAW, others)
    others.close()
    assert inside(DRAW) == drawn == inside(DRAW)


def test_closing_leaves_no_process_behind(level):
    walls = choose_walls(level)
    process = walls.start(Limits())
    there = [psutil.Process(pid) for pid in family(process.parent.popen.pid)]
    process.channel.close()
    walls.close()
    gone, alive = psutil.wait_procs(there, timeout=20)
    assert len(gone) == PROCESSES[level] and not alive


def test_a_parent_that_hangs_is_ended_with_all_that_is_below_it(level, monkeypatch):
    monkeypatch.setattr(started, "LEAVE_SECONDS", 0.2)
    walls = choose_walls(level)
    process = walls.start(Limits())
    below = [psutil.Process(pid) for pid in family(process.parent.popen.pid)]
    psutil.Process(below[-1].ppid()).suspend()
    process.channel.close()
    walls.close()
    gone, alive = psutil.wait_procs(below, timeout=20)
    assert len(gone) == PROCESSES[level] and not alive


def test_an_examiner_that_is_killed_takes_its_candidates_with_it(level):
    """Whoever holds the other end of the control socket leaves when it closes, however it does."""
    start = (
        "from autograder.engine.sandbox import choose_walls; from autograder.engine.limits import Limits; "
        f"p = choose_walls({level!r}).start(Limits()); print('ready', flush=True)"
    )
    loop = "p.channel.send({'steps': [('run', {'cell': 'c', 'source': b'while True: pass'})], 'token': ''})"
    examiner = subprocess.Popen(
        [sys.executable, "-c", f"{start}\n{loop}\ninput()"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    with examiner:
        assert examiner.stdout.readline() == "ready\n"
        there = [psutil.Process(pid) for pid in family(examiner.pid)]
        examiner.kill()
    gone, alive = psutil.wait_procs(there, timeout=20)
    assert len(gone) == PROCESSES[level] + 1 and not alive


@in_namespaces
def test_auto_takes_what_there_is_and_says_so(level, monkeypatch):
    assert choose_walls("auto").level == level

    def is_missing() -> str:
        raise SandboxError(bubblewrap.MISSING)

    monkeypatch.setattr(bubblewrap, "_find_bubblewrap", is_missing)
    assert choose_walls("auto").level == (LANDLOCK if has_landlock() else PRACTICE)
    monkeypatch.setattr(landlock, "code_for", lambda *_: "raise OSError('no Landlock')")
    assert choose_walls("auto").level == PRACTICE
