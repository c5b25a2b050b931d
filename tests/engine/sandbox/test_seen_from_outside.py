"""Each wall by itself, as the kernel tells it of a candidate: no other wall can stand in for it."""

import json
import os
import tempfile
from dataclasses import dataclass
from pathlib import Path

import psutil
import pytest
from levels import in_namespaces
from partial_walls import number_of, printed, untested_parent

from autograder.engine.limits import NAMESPACES, PRACTICE, Limits
from autograder.engine.sandbox import choose_walls, self_test

pytestmark = pytest.mark.walls

CHANNEL = 3  # the only line that leads out
LIMITS = Limits(cells_seconds=17, memory=3 << 30, file_size=5 << 20, open_files=99)
PRIVATE, EMPTY = ("/tmp", "/workdir", "/dev/shm"), ("/proc", "/dev/pts")
OWN = ["user", "mnt", "net", "ipc", "uts", "pid"]  # namespaces of each candidate
HARD = {  # limits, as /proc calls them, soft and hard
    "Max cpu time": 154,
    "Max file size": 5 << 20,
    "Max open files": 99,
    "Max core file size": 1,  # with 0, dumps that are piped to a program would still be
    "Max stack size": 8 << 20,
    "Max pending signals": 64,
    "Max locked memory": 0,
    "Max msgqueue size": 0,
}
ZERO = ["CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"]


@dataclass(frozen=True)
class Seen:
    """What the kernel tells of one process."""

    pid: int

    def read(self, name: str) -> str:
        return Path(f"/proc/{self.pid}/{name}").read_text()

    def namespace(self, kind: str) -> str:
        return os.readlink(f"/proc/{self.pid}/ns/{kind}")

    @property
    def status(self) -> dict[str, str]:
        return dict(line.split(":\t", 1) for line in self.read("status").splitlines())

    def limit(self, name: str) -> list[str]:
        """Return a limit, soft and hard."""
        (line,) = (line for line in self.read("limits").splitlines() if line.startswith(name))
        return line.removeprefix(name).split()[:2]

    def mounts(self) -> dict[str, tuple[set[str], set[str]]]:
        """Options of each mount and of its file system, by place."""
        found = {}
        for line in self.read("mountinfo").splitlines():
            of_mount, of_system = line.split(" - ")
            place, options = of_mount.split()[4:6]
            found[place] = set(options.split(",")), set(of_system.split()[2].split(","))
        return found


@dataclass(frozen=True)
class Family:
    """A warm parent, the program that it runs in, and two of its candidates."""

    box: Seen
    parent: Seen
    one: Seen
    other: Seen


@pytest.fixture(scope="module")
def family(level):
    with untested_parent(level) as parent:
        candidates = [parent.start(LIMITS) for _ in range(2)]
        one, other = (Seen(number_of(candidate)) for candidate in candidates)
        warm = Seen(psutil.Process(one.pid).ppid())
        yield Family(Seen(parent.popen.pid), warm, one, other)
        for candidate in candidates:
            candidate.end()


@pytest.fixture(scope="module")
def told(walls):
    """What a candidate finds about itself, asked once for all tests."""
    source = """
import json, os, sys
mask = os.umask(0)
os.umask(mask)
packages = {}
for name in os.listdir("/packages") if os.path.isdir("/packages") else ():
    if "autograder" in name:
        path = os.path.join("/packages", name)
        packages[name] = os.listdir(path) if os.path.isdir(path) else os.path.getsize(path)
print(json.dumps({
    "flags": [sys.flags.isolated, sys.flags.no_site, sys.flags.ignore_environment],
    "optimised": sys.flags.optimize,
    "variables": sorted(os.environ),
    "arguments": sys.argv[1:],
    "session": os.getsid(0) == os.getpid(),
    "mask": mask,
    "folder": os.getcwd(),
    "packages": packages,
    "host": os.uname().nodename,
}))
"""
    return json.loads(printed(source, walls))


@in_namespaces
@pytest.mark.parametrize("kind", OWN)
def test_a_candidate_shares_a_namespace_with_nobody(family, kind):
    spaces = [
        seen.namespace(kind)
        for seen in (Seen(os.getpid()), family.parent, family.one, family.other)
    ]
    assert len(set(spaces)) == 4


@in_namespaces
@pytest.mark.parametrize("kind", [*OWN, "cgroup"])
def test_a_warm_parent_shares_no_namespace_with_the_host(family, kind):
    assert family.parent.namespace(kind) != Seen(os.getpid()).namespace(kind)


@pytest.mark.parametrize("name", HARD)
def test_a_limit_is_set_hard(family, name):
    assert family.one.limit(name) == [str(HARD[name])] * 2


@in_namespaces
def test_the_number_of_processes_of_a_namespace_is_limited(family):
    """Behind Landlock, the kernel would count all processes of the user on the host."""
    assert family.one.limit("Max processes") == ["32", "32"]


@pytest.mark.parametrize(("name", "field"), [("address space", "VmSize"), ("data size", "VmData")])
def test_memory_is_limited_hard_and_counted_from_what_the_libraries_take(family, name, field):
    """The parent has what a candidate had when it set its limits, but for some large pages."""
    libraries = int(family.parent.status[field].removesuffix("kB")) << 10
    soft, hard = family.one.limit(f"Max {name}")
    assert soft == hard and abs(int(hard) - libraries - LIMITS.memory) < 16 << 20


def test_there_is_no_capability_and_no_way_to_one(family):
    assert [int(family.one.status[name], 16) for name in ZERO[:3]] == [0, 0, 0]
    assert family.one.status["NoNewPrivs"] == "1"
    assert family.one.status["Seccomp"] == "2"


@in_namespaces
def test_it_is_nobody_on_the_host(family):
    users = {seen.status["Uid"] for seen in (family.parent, family.one)}
    assert len(users) == 1 and "0" not in users.pop().split()


def test_it_goes_first_if_the_machine_runs_out_of_memory(family):
    assert family.one.read("oom_score_adj") == "1000\n"


@in_namespaces
@pytest.mark.parametrize("place", PRIVATE)
def test_a_private_folder_is_small_and_runs_and_owns_nothing(family, place):
    mount, system = family.one.mounts()[place]
    assert {"noexec", "nodev", "nosuid"} <= mount
    assert {"size=65536k", "nr_inodes=4096", "mode=700"} <= system


@in_namespaces
@pytest.mark.parametrize("place", EMPTY)
def test_an_empty_folder_stays_empty(family, place):
    mount, system = family.one.mounts()[place]
    assert "ro" in mount | system and "nr_inodes=1" in system


@in_namespaces
def test_nothing_else_can_be_written(family):
    mounts = family.one.mounts().items()
    writable = {place for place, (mount, system) in mounts if "rw" in mount and "rw" in system}
    devices = {f"/dev/{name}" for name in ("null", "zero", "full", "random", "urandom", "tty")}
    assert writable - devices <= {*PRIVATE, "/proc", "/dev/pts"}


def test_nothing_is_open_but_the_channel(family):
    folder = Path(f"/proc/{family.one.pid}/fd")
    leads = {int(entry.name): os.readlink(entry) for entry in folder.iterdir()}
    assert set(leads) == {0, 1, 2, CHANNEL}
    assert {leads[stream] for stream in (0, 1, 2)} == {"/dev/null"}
    assert leads[CHANNEL].startswith("socket:")


@in_namespaces
def test_the_box_knows_nothing_of_the_environment_it_was_started_in(family):
    assert family.box.read("environ") == ""
    assert "--ro-bind" not in family.box.read("cmdline")


@in_namespaces
def test_a_candidate_does_not_learn_the_name_of_the_host(told):
    assert told["host"] == "candidate"


def test_a_parent_has_no_variable_of_the_environment_it_was_started_in(family, level):
    variables = dict(
        entry.split("=", 1) for entry in family.parent.read("environ").split("\0") if entry
    )
    expected = self_test.ENVIRONMENTS[level]
    assert variables == expected


def test_python_takes_nothing_from_its_surroundings(told):
    assert told["flags"] == [1, 1, 1] and told["optimised"] == 0 and told["arguments"] == []
    assert set(told["variables"]) <= {
        *("HOME", "USER", "LANG", "TMPDIR", "IPYTHONDIR", "MPLCONFIGDIR", "MPLBACKEND", "PWD"),
        *("OMP_NUM_THREADS", "GLIBC_TUNABLES", "LD_LIBRARY_PATH", "LC_CTYPE", "COLUMNS", "LINES"),
        *("KMP_DUPLICATE_LIB_OK", "KMP_INIT_AT_FORK", "TORCHINDUCTOR_CACHE_DIR"),
    }


def test_a_candidate_has_a_session_and_a_folder_of_its_own_and_shares_no_file(told, level):
    assert told["session"] and told["mask"] == 0o077
    assert told["folder"] == ("/workdir" if level == NAMESPACES else "/")


@in_namespaces
def test_of_this_project_nothing_is_left_among_the_packages(told):
    assert told["packages"] and not any(told["packages"].values())


def test_practice_takes_no_module_from_the_folder_that_it_starts_in(tmp_path, monkeypatch):
    sign = tmp_path / "taken"
    (tmp_path / "json.py").write_text(f"open({str(sign)!r}, 'w')\n")
    monkeypatch.setattr(tempfile, "gettempdir", lambda: str(tmp_path))
    choose_walls(PRACTICE).start(Limits()).end()
    assert not sign.exists()
