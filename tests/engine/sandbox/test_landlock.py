"""Each wall of candidates behind Landlock by itself: Landlock's rules, the stricter filter, threads."""

import json
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest
from levels import needs_landlock
from partial_walls import copy_candidate, edit, number_of, printed, run_in

from autograder.engine import SandboxError
from autograder.engine.limits import LANDLOCK, Limits
from autograder.engine.sandbox import choose_walls, mounts, refused, seccomp

pytestmark = [pytest.mark.walls, needs_landlock]

NO_FILTER = "kernel.filter_calls = lambda _: None\n"
NO_RULES = "kernel.restrict = lambda _: None; kernel.landlock_version = lambda: 0\n"
OTHER_RULES = """
import json
restrict = kernel.restrict
{change}
with open({paths!r}) as file:
    rules = kernel.landlock_rules(**json.load(file), writable=[os.devnull])
kernel.restrict = lambda _: restrict(rules)
"""
VERSIONS = range(1, 8)  # of Landlock
TRIES = """
import ctypes, fcntl, json, os, socket
libc, answers = ctypes.CDLL(None, use_errno=True), {{}}

def call(name, *arguments):
    if getattr(libc, name)(*arguments) == -1:
        raise OSError(ctypes.get_errno(), name)

def connect(kind, address):
    with socket.socket(*kind) as sock:
        sock.connect(address)

def bind(kind, address):
    with socket.socket(*kind) as sock:
        sock.bind(address)

TCP, UDP, UNIX = (socket.AF_INET, socket.SOCK_STREAM), (socket.AF_INET, socket.SOCK_DGRAM), (socket.AF_UNIX,)
for name, way in {ways!r}.items():
    folder = os.path.join({top!r}, name)
    file, new = os.path.join(folder, "file"), os.path.join(folder, "new")
    try:
        eval(way)
        answers[name] = "done"
    except PermissionError:
        answers[name] = "refused"
    except OSError as error:
        reached = error.errno in (8, 25, 111)  # ENOEXEC, ENOTTY, ECONNREFUSED
        answers[name] = "done" if reached else repr(error)
print(json.dumps(answers))
"""
BY_RULES = {  # of Landlock alone: a notebook may make files where it has a folder
    "list": "os.listdir(folder)",
    "read": "os.open(file, os.O_RDONLY)",
    "write": "os.open(file, os.O_WRONLY)",
    "write-anew": "os.open(file, os.O_WRONLY | os.O_TRUNC)",
    "make": "os.open(new, os.O_CREAT | os.O_WRONLY)",
    "make-folder": "os.mkdir(new)",
    "link": "os.link(file, new)",
    "symlink": "os.symlink(file, new)",
    "remove": "os.unlink(file)",
    "remove-folder": "os.rmdir(os.path.join(folder, 'empty'))",
    "rename": "os.rename(file, new)",
}
BY_BOTH = {  # and with which version Landlock began to refuse it
    "execute": (1, "os.execv(file, ['file'])"),
    "make-pipe": (1, "os.mkfifo(new)"),
    "make-socket": (1, "bind(UNIX, new)"),
    "read-to-truncate": (1, "os.open(file, os.O_RDONLY | os.O_TRUNC)"),
    "connect": (4, "connect(TCP, ('127.0.0.1', 9))"),
    "bind": (4, "bind(TCP, ('127.0.0.1', 0))"),
    "abstract-socket": (6, "connect(UNIX, {abstract!r})"),
    "signal": (6, "os.kill(os.getppid(), 0)"),
    "signal-to-thread": (6, "call('tgkill', os.getppid(), os.getppid(), 0)"),
}
BY_FILTER = {  # Landlock knows nothing of these
    "open-without-a-right": "os.open(file, 3)",
    "make-without-a-name": "os.open(folder, os.O_TMPFILE | 3)",
    "truncate": "os.truncate(file, 0)",
    "device": "fcntl.ioctl(os.open('/dev/null', os.O_RDWR), 0x1234)",
    "mode": "os.chmod(file, 0o777)",
    "mode-of-descriptor": "os.fchmod(3, 0o666)",  # of the channel, which is its own
    "owner": "os.chown(file, -1, os.getgid())",
    "times": "os.utime(file, (0, 0))",
    "limit": "call('prlimit64', os.getppid(), 7, None, None)",
    "unix-socket": "socket.socketpair()",
    "udp": "connect(UDP, ('127.0.0.1', 9))",
}
WAYS = BY_RULES | {name: way for name, (_, way) in BY_BOTH.items()} | BY_FILTER


@pytest.fixture(scope="module")
def level() -> str:
    return LANDLOCK


@pytest.fixture
def listener() -> Iterator[str]:
    """The name of an abstract socket of the host."""
    with socket.socket(socket.AF_UNIX) as sock:
        sock.bind(b"")  # the kernel chooses a name
        sock.listen()
        yield sock.getsockname().decode("latin-1")


@pytest.fixture
def host_folder() -> Iterator[Path]:
    """A folder of the host, whose path is short enough for a socket in it."""
    with tempfile.TemporaryDirectory() as folder:
        yield Path(folder)


@pytest.fixture
def refused_ways(copied_parent, start_first, listener, host_folder) -> Callable[[str], set[str]]:
    """Return which WAYS are refused to a candidate that runs this line first. All others are open."""

    def run(first: str) -> set[str]:
        top = Path(tempfile.mkdtemp(dir=host_folder))
        for name in WAYS:
            (top / name / "empty").mkdir(parents=True)
            (top / name / "file").write_text("a file of the host")
            (top / name / "file").chmod(0o755)
        ways = WAYS | {"abstract-socket": WAYS["abstract-socket"].format(abstract=listener)}
        start_first(first)
        answers = json.loads(printed(TRIES.format(ways=ways, top=str(top)), copied_parent))
        assert set(answers.values()) <= {"done", "refused"}, answers
        return {name for name, answer in answers.items() if answer == "refused"}

    return run


@pytest.fixture
def other_rules(tmp_path) -> Callable[..., str]:
    """Return a line that has a candidate make rules of its own: these paths may be read, too; `change`
    comes before they are made.
    """

    def line(*paths: str, change: str = "") -> str:
        file = tmp_path / "paths"
        rules = mounts.landlock_rules()
        file.write_text(json.dumps(rules | {"readable": [*rules["readable"], *paths]}))
        return OTHER_RULES.format(change=change, paths=str(file))

    return line


def as_version(version: int) -> str:
    return f"kernel.landlock_version = lambda: {version}"


def test_without_both_walls_every_way_is_open(refused_ways):
    """So the tests below see what a wall holds."""
    assert refused_ways(NO_RULES + NO_FILTER) == set()


def test_landlock_alone_refuses_all_that_it_knows(refused_ways, landlock_version):
    held = {name for name, (since, _) in BY_BOTH.items() if since <= landlock_version}
    assert refused_ways(NO_FILTER) == {*BY_RULES, *held}


def test_landlock_alone_lets_nobody_execute_what_may_be_read(
    refused_ways, other_rules, host_folder
):
    """Of other files, the right to read is missing, too."""
    refused = refused_ways(other_rules(str(host_folder)) + NO_FILTER)
    assert "execute" in refused and "read" not in refused


def test_the_filter_alone_refuses_all_but_files(refused_ways):
    assert refused_ways(NO_RULES) == {*BY_BOTH, *BY_FILTER}


@pytest.fixture(scope="module")
def landlock_version(copied_parent) -> int:
    """The version that this kernel has."""
    from autograder.engine.candidate import kernel

    return kernel.landlock_version()


@pytest.mark.parametrize("version", VERSIONS)
def test_the_walls_hold_with_each_version_of_landlock(
    version, refused_ways, other_rules, missing, landlock_version
):
    """What the first ones do not know, the filter refuses."""
    line = other_rules(change=as_version(min(version, landlock_version)))
    assert refused_ways(line) == set(WAYS)
    assert missing(line) == set()


def test_a_kernel_without_landlock_is_named_in_one_sentence(tmp_path, monkeypatch):
    copy = copy_candidate(tmp_path)
    edit(copy, "kernel.py", "= 444, 445, 446", "= 9_444, 9_445, 9_446")  # which no kernel has
    monkeypatch.setattr(mounts, "PACKAGE", copy)
    with pytest.raises(SandboxError) as error:
        choose_walls(LANDLOCK)
    assert "Landlock: Function not implemented" in str(error.value)
    assert "Traceback" not in str(error.value) and "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("line", "wall"),
    [
        ("kernel.restrict = lambda _: None", "TCP"),
        ("{rules}", "signals"),
    ],
)
def test_a_candidate_whom_landlock_does_not_hold_does_not_come_up(
    line, wall, copied_parent, start_first, other_rules, landlock_version
):
    """The filter hides this from the self-test."""
    if landlock_version < {"TCP": 4, "signals": 6}[wall]:
        return  # this kernel does not promise it
    rules = other_rules(change="scopes = kernel.SCOPES; kernel.SCOPES = 0")
    start_first(line.format(rules=rules))
    with pytest.raises(SandboxError, match=f"Landlock does not refuse {wall}"):
        copied_parent.start(Limits())


# The self-test: each wall of this kind that is left out is named.


@pytest.fixture
def no_notes_stay() -> Iterator[None]:
    """Remove what the self-test writes into folders of the host if it can."""
    yield
    for folder in ("/tmp", "/var/tmp"):
        Path(folder, "note").unlink(missing_ok=True)


def test_landlock_s_rules_that_are_missing_are_named(missing, monkeypatch, tmp_path, no_notes_stay):
    (tmp_path / "course.pth").write_text("/home/somebody/the-course")
    monkeypatch.setattr(mounts, "packages", lambda: tmp_path)  # where nothing else is written
    assert missing(NO_RULES) == {"files", "packages", "libraries", "folders", "changes"}


def test_what_says_where_the_course_lies_and_can_be_read_is_named(missing, other_rules):
    hidden = mounts.covered(outside=True)
    assert hidden
    assert missing(other_rules(*hidden)) == {"packages"}


def test_a_missing_limit_on_threads_is_named(missing):
    assert missing("kernel.CLONE = 9_999  # so it asks about another call") == {"threads"}


@pytest.mark.parametrize(
    "call", sorted({call for calls in refused.BEHIND_LANDLOCK.values() for call, *_ in calls})
)
def test_a_call_that_only_this_filter_refuses_is_named(call, missing_behind, monkeypatch):
    groups = refused.REFUSED | refused.BEHIND_LANDLOCK
    names = [name for name, calls in groups.items() if call in {first for first, *_ in calls}]
    monkeypatch.setattr(seccomp, "ALLOWED", (*seccomp.ALLOWED, call))
    assert missing_behind() == {f"filter: {name} ({call})" for name in names}


# Threads: the kernel would count the user's other processes, the warm parent does not.

BUSY_HOST = """
import subprocess, threading
over = threading.Event()
threads = [threading.Thread(target=over.wait, daemon=True) for _ in range(50)]
for thread in threads: thread.start()
others = [subprocess.Popen(["sleep", "600"]) for _ in range(50)]
print("ready", flush=True)
input()
for other in others: other.kill()
"""
START_THREADS = """
import threading
over, threads = threading.Event(), []
try:
    while True:
        thread = threading.Thread(target=over.wait, daemon=True)
        thread.start()
        threads.append(thread)
except RuntimeError as error:
    print(len(threads), error)
"""
START_AT_ONCE = """
import ctypes, threading, time
libc = ctypes.CDLL(None)
libc.pthread_create.argtypes = [ctypes.c_void_p] * 4
begin = threading.Barrier(16)

def ask():
    begin.wait()
    for _ in range(4):
        libc.pthread_create(ctypes.byref(ctypes.c_ulong()), None, libc.pause, None)
    time.sleep(600)

for _ in range(15):
    threading.Thread(target=ask, daemon=True).start()
begin.wait()
time.sleep(1)
"""


@pytest.fixture
def busy_host() -> Iterator[None]:
    """A hundred idle processes and threads of the same user."""
    command = [sys.executable, "-c", BUSY_HOST]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as host:
        assert host.stdout.readline() == b"ready\n"
        yield
        host.communicate(b"\n")


@pytest.fixture
def start(walls) -> Iterator[Callable]:
    """Start a candidate."""
    candidates = []

    def start():
        candidates.append(walls.start(Limits()))
        return candidates[-1]

    yield start
    for candidate in candidates:
        candidate.channel.close()


def test_threads_are_limited_whatever_else_the_user_runs(busy_host, start):
    first, second = start(), start()
    for candidate in (first, second):  # neither counts the other's
        assert run_in(candidate, START_THREADS) == "31 can't start new thread\n"
    assert run_in(first, f"{START_THREADS}\nprint(threading.active_count())").startswith("0 can't")


def test_threads_that_are_asked_for_at_once_are_counted(start):
    candidate = start()
    run_in(candidate, START_AT_ONCE)
    assert psutil.Process(number_of(candidate)).num_threads() == 32
