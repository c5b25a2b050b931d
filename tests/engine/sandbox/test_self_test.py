"""The self-test before the first submission: each wall that is taken down is missed, by its name."""

import fcntl
import mmap
import platform
import subprocess
import sys
import sysconfig
import tempfile
import termios
from pathlib import Path

import pytest
from levels import in_namespaces
from partial_walls import copy_candidate, edit, named

from autograder.engine import SandboxError
from autograder.engine.limits import LANDLOCK, NAMESPACES, Limits
from autograder.engine.sandbox import (
    advice,
    bubblewrap,
    choose_walls,
    mounts,
    refused,
    seccomp,
    walls,
)

pytestmark = pytest.mark.walls

HIDDEN = Path("/srv/all")  # a path that must not be there inside
PRIVATE = ("/tmp", "/workdir", "/dev/shm")
TMPFS = (*PRIVATE, "/proc", "/dev/pts")


def test_nothing_is_named_when_nothing_is_missing(missing):
    assert missing("pass") == set()


@in_namespaces
@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("kernel.NEW_NET = 0", {"network namespace"}),
        ("kernel.NEW_IPC = 0", {"ipc namespace"}),
        ("kernel.NEW_UTS = 0", {"uts namespace"}),
        ("kernel.NEW_USER = 0; kernel.map_ids = lambda *_: None", {"user namespace"}),
        (
            "kernel.drop_privileges = lambda: None",
            {"capabilities"},
        ),  # the other, bubblewrap does, too
        ("walls.EMPTY = ('/dev/pts',)", {"covered /proc", "ro on /proc"}),
        ("walls.EMPTY = ('/proc',)", {"covered /dev/pts", "ro on /dev/pts", "nodev on /dev/pts"}),
        ("walls.ROOM = 'size=65m,nr_inodes=4096'", {f"size of {place}" for place in PRIVATE}),
        ("walls.ROOM = 'size=64m,nr_inodes=4097'", {f"inodes of {place}" for place in PRIVATE}),
        ("walls.NOTHING_RUNS &= ~kernel.NO_EXEC", {f"noexec on {place}" for place in PRIVATE}),
        ("walls.NOTHING_RUNS &= ~kernel.NO_SUID", {f"nosuid on {place}" for place in TMPFS}),
        ("walls.NOTHING_RUNS &= ~kernel.NO_DEV", {f"nodev on {place}" for place in TMPFS}),
        ("resource.RLIMIT_NPROC = resource.RLIMIT_RSS", {"limit: processes"}),
    ],
)
def test_a_namespace_that_a_candidate_does_not_enter_is_named(line, told, missing):
    assert missing(line) == told


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("os.setsid = lambda: None", {"session"}),
        ("umask = os.umask; os.umask = lambda _: umask(0o22)", {"umask"}),
        ("walls._close_files = lambda: None", {"descriptors"}),
        ("walls.KILLED_FIRST = '500'", {"first to be killed"}),
        ("walls.LIMITS.pop('STACK')", {"limit: stack size"}),
        ("walls.LIMITS.pop('SIGPENDING')", {"limit: pending signals"}),
        ("walls.LIMITS.pop('MEMLOCK')", {"limit: locked memory"}),
        ("walls.LIMITS.pop('MSGQUEUE')", {"limit: msgqueue size"}),
        ("limits['memory'] *= 2", {"limit: address space", "limit: data size", "memory"}),
        ("limits['cpu_seconds'] *= 2", {"limit: cpu time"}),
        ("limits['file_size'] *= 2", {"limit: file size"}),
        ("limits['open_files'] *= 2", {"limit: open files"}),
        ("resource.RLIMIT_CORE = resource.RLIMIT_RSS", {"limit: core file size"}),
    ],
)
def test_a_wall_that_a_candidate_does_not_build_is_named(line, told, missing):
    assert missing(line) == told


@in_namespaces
def test_a_candidate_among_the_mounts_of_its_parent_is_noticed(missing):
    found = missing("kernel.NEW_MOUNT = 0; kernel.mount_private = lambda *_: None")
    assert found >= {"mount namespace", "notes", "covered /proc", "noexec on /tmp"}


def test_a_missing_filter_is_named(level, missing):
    found = missing("kernel.filter_calls = lambda _: None")
    groups = {name.removeprefix("filter: ").split(" (")[0] for name in found}
    if level == NAMESPACES:  # behind Landlock, the filter that asks for threads is there still
        assert {"filter", "32-bit calls", *refused.REFUSED} <= groups
    else:
        assert {"32-bit calls", *refused.REFUSED, *refused.BEHIND_LANDLOCK} <= groups


@pytest.mark.parametrize(
    ("call", "wall"),
    [
        ("fork", "processes"),
        ("process_vm_readv", "other processes"),
        ("setuid", "privileges"),
        ("setpriority", "scheduling"),
        ("setxattr", "file systems"),
        ("flock", "signs on files"),
        ("socket", "sockets"),
        ("memfd_create", "memory of nobody"),
        ("munlockall", "locked memory"),
        ("io_setup", "asynchronous input"),
        ("syncfs", "syncing"),
        ("timer_create", "timers"),
        ("membarrier", "shared futexes"),
        ("sysinfo", "the machine"),
    ],
)
def test_a_filter_that_lets_one_call_through_is_named(call, wall, missing_behind, monkeypatch):
    monkeypatch.setattr(seccomp, "ALLOWED", (*seccomp.ALLOWED, call))
    assert missing_behind() == {f"filter: {wall} ({call})"}


@pytest.mark.parametrize(
    ("call", "place", "value", "wall"),
    [
        ("clone", 0, 17, "processes"),  # SIGCHLD: as `fork` does
        ("fcntl", 1, fcntl.F_SETLK, "signs on files"),
        ("ioctl", 1, termios.TIOCSTI, "the machine"),
        ("madvise", 2, mmap.MADV_MERGEABLE, "signs on files"),
        ("prctl", 0, 4, "privileges"),  # PR_SET_DUMPABLE
        ("futex", 1, 3, "shared futexes"),  # FUTEX_REQUEUE
    ],
)
def test_a_filter_that_lets_one_argument_through_is_named(
    call, place, value, wall, missing_behind, monkeypatch
):
    more = (call, place, (value,))
    monkeypatch.setattr(seccomp, "WITH_VALUES", (*seccomp.WITH_VALUES, more))
    assert missing_behind() == {f"filter: {wall} ({call})"}


@pytest.mark.skipif(platform.machine() != "x86_64", reason="no other doors")
def test_a_filter_that_leaves_other_doors_open_is_named(missing_behind, monkeypatch):
    pyseccomp = pytest.importorskip("pyseccomp")
    set_attribute = pyseccomp.SyscallFilter.set_attr

    def leave_open(rules, attribute, value) -> None:
        bad = attribute == pyseccomp.Attr.ACT_BADARCH
        set_attribute(rules, attribute, pyseccomp.ALLOW if bad else value)

    monkeypatch.setattr(pyseccomp.SyscallFilter, "set_attr", leave_open)
    assert missing_behind() == {"32-bit calls", "x32 calls"}


@pytest.mark.namespaces
def test_candidates_among_each_others_processes_are_noticed(tmp_path, monkeypatch):
    copy = copy_candidate(tmp_path)
    edit(copy, "parent.py", "kernel.unshare(kernel.NEW_PID)", "pass")
    monkeypatch.setattr(mounts, "PACKAGE", copy)
    assert named(lambda: choose_walls(NAMESPACES)) == {"process namespace", "neighbours"}


@pytest.mark.namespaces
def test_a_parent_that_is_not_apart_from_the_host_is_noticed(monkeypatch):
    words = bubblewrap._namespaces
    shared = {"--unshare-net", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"}

    def namespaces(**how):
        hostname = {"--hostname", "candidate"}  # needs a uts namespace
        return [word for word in words(**how) if word not in shared | hostname]

    monkeypatch.setattr(bubblewrap, "_namespaces", namespaces)
    wanted = {f"{name} namespace" for name in ("network", "ipc", "uts", "cgroup")}
    assert named(lambda: choose_walls(NAMESPACES)) == wanted


@pytest.mark.namespaces
def test_what_is_shown_of_the_host_and_must_not_be_is_named(monkeypatch):
    """A folder of the host, a package of this project, libraries to write on, a word to read."""
    words = mounts.options
    shown = ["--perms", "0755", "--dir", "/srv", "--ro-bind", tempfile.gettempdir(), str(HIDDEN)]
    shown += ["--setenv", "TOKEN", "of the host"]
    covered = mounts.covered()
    monkeypatch.setattr(mounts, "covered", lambda outside: covered)

    def options(code):
        monkeypatch.setattr(mounts, "_hidden", lambda: ())
        inside = words(code)
        inside[inside.index("/packages") - 2] = "--bind"
        return [*shown, *inside]

    monkeypatch.setattr(mounts, "options", options)
    note = Path(sysconfig.get_path("purelib"), "note")  # written by a candidate of their owner
    try:
        found = named(lambda: choose_walls(NAMESPACES, (HIDDEN,)))
        mine = {"libraries"} if note.exists() else set()
    finally:
        note.unlink(missing_ok=True)
    assert found == {"files", "packages", "ro on /packages", "environment"} | mine


@pytest.mark.namespaces
def test_where_user_namespaces_are_off_a_person_who_wants_them_learns_what_to_do(hand_in, course):
    """A real host of that kind: a box in which the kernel refuses to make further ones."""
    hand_in("s001")
    program = bubblewrap._find_bubblewrap()
    off = ["--unshare-user", "--uid", "1000", "--disable-userns", "--dev-bind", "/", "/"]
    grade = [sys.executable, "-m", "autograder", "grade", "submitted", "--assignment"]
    wanted = ["--no-gradebook", "--results", "results", "--sandbox", "namespaces"]
    ran = subprocess.run(
        [program, *off, "--", *grade, "encoder-layer", "--course", course.root, *wanted],
        cwd=hand_in("s002").parents[3],
        capture_output=True,
        text=True,
    )
    assert ran.returncode == 3 and "Traceback" not in ran.stderr
    assert "The sandbox does not work on " in ran.stderr and "sudo sysctl" in ran.stderr


@pytest.mark.parametrize(
    ("setting", "value", "sentence"),
    [
        ("kernel/apparmor_restrict_unprivileged_userns", "1", "as on Ubuntu 24.04"),
        ("kernel/unprivileged_userns_clone", "0", "keeps user namespaces to root"),
        ("user/max_user_namespaces", "0", "switched off"),
    ],
)
def test_the_setting_that_stands_in_the_way_is_named(
    setting, value, sentence, monkeypatch, tmp_path
):
    (tmp_path / setting).parent.mkdir()
    (tmp_path / setting).write_text(value + "\n")
    monkeypatch.setattr(advice, "SETTINGS", tmp_path)
    monkeypatch.setattr(bubblewrap, "_namespaces", lambda **_: ["--uid", "no"])
    with pytest.raises(SandboxError, match=sentence):
        choose_walls(NAMESPACES)


LONG = "x" * 100  # a socket's path may have 107 characters


@pytest.mark.parametrize(
    ("setting", "sentence"),
    [
        ("ulimit -v 1700000", "`ulimit -v` allows a process 1.6 GiB here: raise it to 4.4 GiB"),
        ("ulimit -d 900000", "`ulimit -d` allows a process 0.9 GiB here: raise it to 2.0 GiB"),
        ("ulimit -n 100", "`ulimit -Hn` is 100, and 256 are needed"),
        (f"mkdir {LONG}; export TMPDIR=$PWD/{LONG}", "Set TMPDIR to a folder with a shorter path."),
    ],
)
def test_a_setting_of_the_shell_that_stands_in_the_way_is_named_and_no_other(
    setting, sentence, hand_in, course
):
    submitted = hand_in("s001").parents[2]
    grade = f"{sys.executable} -m autograder grade {submitted} --assignment encoder-layer"
    script = f"cd {submitted.parent}; {setting}; {grade} --course {course.root} --results results --no-gradebook"
    ran = subprocess.run(["bash", "-c", script], capture_output=True, text=True)
    assert ran.returncode == 3 and sentence in ran.stderr
    assert "namespaces" not in ran.stderr and "AppArmor" not in ran.stderr


@pytest.mark.parametrize(
    ("problem", "sentence"),
    [
        ("the warm parent is gone: it was killed", "One worker needs about 2 GiB."),
        ("the warm parent is gone: OSError: [Errno 24] Too many open files", "`ulimit -n`"),
        ("a candidate did not come up: [Errno 11] Resource temporarily unavailable", "`ulimit -u`"),
        ("no warm parent can be started: [Errno 28] No space left on device", "Make room in /"),
        ("the warm parent did not answer within 180 seconds", "too busy"),
        ("the warm parent is gone: ImportError: libgomp.so.1: cannot open", "install them again"),
        ("the warm parent is gone: bwrap: setting up uid map: Permission denied", "namespaces"),
        ("a candidate could not be walled in: unshare: Operation not permitted", "namespaces"),
        ("these walls do not hold: `mount namespace`", "grade on another one"),
    ],
)
def test_advice_is_about_the_problem(problem, sentence, monkeypatch):
    def fail(*_: object) -> None:
        raise SandboxError(problem)

    monkeypatch.setattr(walls.Walls, "start", fail)
    with pytest.raises(SandboxError) as refused:
        choose_walls("require")
    assert problem in str(refused.value) and sentence in str(refused.value)
    if "namespaces" not in sentence:
        assert "namespaces" not in str(refused.value)


@pytest.mark.parametrize(
    ("problem", "lasts"),
    [
        ("the warm parent is gone: bwrap: No permissions to create a new namespace", True),
        ("the warm parent is gone: bwrap: Failed to make / slave: Operation not permitted", True),
        ("bubblewrap is not installed: install it", True),
        ("these walls do not hold: `mount namespace`", True),
        ("the warm parent is gone: it was killed", False),
        ("the warm parent did not answer within 180 seconds", False),
        ("the warm parent is gone: bwrap: Can't fork: Cannot allocate memory", False),
    ],
)
def test_only_what_lasts_leads_to_other_walls(problem, lasts, monkeypatch):
    """A submission can have a warm parent killed, and must not choose its walls by that."""
    tried = []

    def start(tried_walls, limits: Limits) -> None:
        tried.append(tried_walls.level)
        raise SandboxError(problem)

    monkeypatch.setattr(walls.Walls, "start", start)
    with pytest.raises(SandboxError):
        choose_walls("require")
    assert tried == ([NAMESPACES, LANDLOCK] if lasts else [NAMESPACES])


def test_a_missing_library_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyseccomp", None)
    with pytest.raises(SandboxError, match="libseccomp2"):
        choose_walls("require")
