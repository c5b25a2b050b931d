"""What a candidate can reach: the channel, in namespaces some small folders, and nothing else."""

import subprocess
import sys

import psutil
import pytest
from levels import in_namespaces
from sandboxes import has_landlock

from autograder.engine import SandboxError, Submission
from autograder.engine.candidate.channel import within
from autograder.engine.examiner import Clock, Supervisor
from autograder.engine.limits import LANDLOCK, NAMESPACES, PRACTICE, Limits
from autograder.engine.notebooks import Cell
from autograder.engine.sandbox import bubblewrap, choose_walls, landlock
from autograder.engine.sandbox.walls import Walls

pytestmark = pytest.mark.walls
PROCESSES = {NAMESPACES: 3, LANDLOCK: 1}  # of a warm parent: bubblewrap, the first inside, itself


@pytest.fixture(scope="module")
def inside(walls):
    """Run Python behind the walls; return what it printed."""

    def run(source: str, limits: Limits = Limits()) -> str:
        with Supervisor(
            walls, Clock(limits), Submission([Cell("cell", "code", source)])
        ) as supervisor:
            supervisor.run_cells()
        outputs = supervisor.outputs["cell"]
        assert [output["kind"] for output in outputs] == ["stream"], outputs
        return outputs[0]["text"].decode().strip()

    return run


def family(pid: int) -> list[int]:
    """The processes that descend from this one."""
    return [child.pid for child in psutil.Process(pid).children(recursive=True)]


def attempt(action: str) -> str:
    return f"try:\n    print('done', {action})\nexcept Exception as error:\n    print('refused', type(error).__name__)"


def test_the_environment_of_the_host_stays_outside(inside, monkeypatch):
    monkeypatch.setenv("TOKEN", "a-secret-of-the-host")
    text = inside("import os; print(dict(os.environ))")
    assert "a-secret-of-the-host" not in text and "HOME" in text


@in_namespaces
def test_the_folders_of_the_host_are_not_there(inside):
    system = {"lib", "lib64", "usr", "proc", "dev", "tmp"}
    ours = {"app", "workdir", "packages", "python"}  # python: unless it is the system's own
    folders = set(inside("import os; print(*os.listdir('/'))").split())
    assert {"app", "workdir", "packages"} <= folders <= system | ours


@in_namespaces
def test_it_sees_neither_processes_nor_terminals_nor_anything_in_a_private_folder(inside):
    folders = ["/proc", "/dev/pts", "/dev/shm", "/tmp", "/workdir"]
    assert inside(f"import os; print([os.listdir(f) for f in {folders}])") == "[[], [], [], [], []]"


@pytest.mark.parametrize(
    "action",
    [
        "__import__('socket').create_connection(('127.0.0.1', 9), 1)",
        "__import__('socket').socket(__import__('socket').AF_INET)",
        "__import__('os').fork()",
        "__import__('subprocess').run([__import__('sys').executable, '-c', '0'])",
        "__import__('ctypes').CDLL(None, use_errno=True).unshare(0x10000000) == 0 or 1 / 0",
        "open(__import__('torch').__file__, 'a')",
        "open(__import__('torch').__file__ + '-note', 'w')",
        "open('/note', 'w')",
        "__import__('os').kill(3, 15)",
        "__import__('os').kill(__import__('os').getppid() or 3, 15)",
        "__import__('os').mkfifo('pipe')",
        "__import__('os').eventfd(0)",
        "__import__('os').memfd_create('hoard')",
        "__import__('os').getloadavg()",
    ],
)
def test_a_wall_refuses(inside, action):
    assert inside(attempt(action)).startswith("refused")


def test_torch_computes_in_half_precision(inside):
    """Its first conversion asks /proc and /sys for the processor, which is not there."""
    action = "__import__('torch').ones(2).half().float().sum().item()"
    assert inside(attempt(action)) == "done 2.0"


def test_nothing_is_privileged_and_nothing_can_become_so(inside):
    """PR_GET_SECCOMP 21, PR_GET_NO_NEW_PRIVS 39; capget of version 3 gives two words a set."""
    ask = """
import ctypes
libc = ctypes.CDLL(None)
header, sets = (ctypes.c_uint32 * 2)(0x20080522, 0), (ctypes.c_uint32 * 6)(*[7] * 6)
print(libc.prctl(21, 0, 0, 0, 0), libc.prctl(39, 0, 0, 0, 0), libc.capget(header, sets), list(sets))
"""
    assert inside(ask) == "2 1 0 [0, 0, 0, 0, 0, 0]"


@in_namespaces
def test_it_is_an_ordinary_user_even_where_root_started_it(inside):
    assert int(inside("import os; print(os.getuid())")) > 0


@in_namespaces
def test_a_private_folder_can_be_written_and_is_gone_afterwards(inside):
    assert inside("import os; print(os.listdir('.'), open('note', 'w').write('x'))") == "[] 1"
    assert inside("import os; print(os.listdir('.'))") == "[]"


@in_namespaces
def test_a_file_has_a_largest_size(inside):
    assert inside(attempt("open('big', 'wb').write(b'x' * (80 << 20))")).startswith("refused")


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
    assert inside(HONEST).split("\n") == [*("alarm", "36", "False True", "plots True True", "end")]


@in_namespaces
def test_what_honest_notebooks_write_is_not_refused(inside):
    assert inside(HONEST_FILES).split("\n") == ["files", "stores", "plots True True"]


DRAW = "import random, numpy, torch; print(torch.rand(2), numpy.random.rand(2), random.random())"


def test_each_candidate_begins_with_the_same_random_numbers(inside, level):
    """torch begins with others in each process, and a verdict must not depend on the process."""
    others = Walls(level)
    with Supervisor(
        others, Clock(Limits()), Submission([Cell("cell", "code", DRAW)])
    ) as supervisor:
        supervisor.run_cells()
    others.close()
    drawn = supervisor.outputs["cell"][0]["text"].decode().strip()
    assert inside(DRAW) == drawn == inside(DRAW)


def test_ending_leaves_no_process_behind(walls):
    process = walls.start(Limits())
    with_it = family(process.parent.popen.pid)
    process.end()
    assert len(with_it) == len(family(process.parent.popen.pid)) + 1


def test_closing_leaves_no_process_behind(level):
    walls = Walls(level)
    process = walls.start(Limits())
    there = [psutil.Process(pid) for pid in family(process.parent.popen.pid)]
    process.channel.close()
    walls.close()
    gone, alive = psutil.wait_procs(there, timeout=20)
    assert len(gone) == PROCESSES[level] and not alive


def test_a_parent_that_hangs_is_ended_with_all_that_is_below_it(level, monkeypatch):
    monkeypatch.setattr("autograder.engine.sandbox.started.LEAVE_SECONDS", 0.2)
    walls = Walls(level)
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
        "from autograder.engine.sandbox.walls import Walls; from autograder.engine.limits.process import Limits; "
        f"p = Walls({level!r}).start(Limits()); print('ready', flush=True)"
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


def test_without_walls_the_level_is_practice():
    bare = Walls(PRACTICE)
    assert bare.level == "practice"
    process = bare.start(Limits())
    process.channel.send({"steps": [("forget", {})], "token": "t"})
    assert process.channel.receive(within(20)) == {"value": None, "token": "t"}
    process.end()
    bare.close()


ALLOWANCE = """
import torch

def most(take):
    low, high = 0, 4096  # mebibytes
    while high - low > 1:
        middle = (low + high) // 2
        try:
            take(middle << 20)
            low = middle
        except (MemoryError, RuntimeError):
            high = middle
    return low

layer = torch.nn.Linear(64, 64)
torch.optim.Adam(layer.parameters())
layer(torch.randn(8, 64)).sum().backward()
print(most(bytes), most(lambda size: torch.empty(size, dtype=torch.uint8)))
"""
COUNTS = """
import threading

files, threads, over = [], [], threading.Event()
try:
    while True:
        files.append(open("/dev/null"))
except OSError:
    print(len(files), end=" ")
    files.clear()
try:
    while True:
        threads.append(threading.Thread(target=over.wait))
        threads[-1].start()
except RuntimeError:
    print(len(threads) - 1)
    over.set()
"""

PATIENT = Limits(
    cell_seconds=60, cells_seconds=60
)  # it is about memory, which a host may be short of


def test_everybody_may_take_as_much_whichever_build_of_torch_is_installed(inside):
    """PyPI's build takes 3.06 GiB of address space itself, the one for CPUs 0.6."""
    of_bytes, of_tensors = map(int, inside(ALLOWANCE, PATIENT).split())
    allowance = Limits.memory >> 20
    assert abs(of_tensors - allowance) < 16 and abs(of_bytes - allowance) < 16


def test_files_and_threads_are_counted(inside):
    files, threads = map(int, inside(COUNTS).split())
    assert (files, threads) == (252, 31)
