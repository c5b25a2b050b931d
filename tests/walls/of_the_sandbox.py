"""Walls of the sandbox. Each is looked at by itself: behind the others nothing would show it missing."""

from tests.walls.wall import Wall

CANDIDATE = "engine/candidate"
WALLS_FILE = f"{CANDIDATE}/walls.py"
KERNEL = f"{CANDIDATE}/kernel.py"
BOX = "engine/sandbox/bubblewrap.py"
MOUNTS = "engine/sandbox/mounts.py"
PLAIN = "engine/sandbox/landlock.py"
START = f"{CANDIDATE}/start.py"
FILTER = "engine/sandbox/seccomp.py"
OUTSIDE = "engine/sandbox/test_seen_from_outside.py"
SHARED = "engine/sandbox/test_shared_parents.py"
BEHIND = "engine/sandbox/test_landlock.py"
REFUSED = ("engine/sandbox/test_refused_calls.py",)


def _seen(test: str) -> tuple[str, ...]:
    return (f"{OUTSIDE}::{test}",)


SHARES_WITH_NOBODY = _seen("test_a_candidate_shares_a_namespace_with_nobody")
SHARES_WITH_NO_HOST = _seen("test_a_warm_parent_shares_no_namespace_with_the_host")
LIMIT = _seen("test_a_limit_is_set_hard")
MEMORY = _seen("test_memory_is_limited_hard_and_counted_from_what_the_libraries_take")
CAPABILITY = _seen("test_there_is_no_capability_and_no_way_to_one")
PRIVATE = _seen("test_a_private_folder_is_small_and_runs_and_owns_nothing")
EMPTY = _seen("test_an_empty_folder_stays_empty")
OPEN = _seen("test_nothing_is_open_but_the_channel")
SURROUNDINGS = _seen("test_python_takes_nothing_from_its_surroundings")
OWN = _seen("test_a_candidate_has_a_session_and_a_folder_of_its_own_and_shares_no_file")
READABLE = (
    "engine/sandbox/test_bubblewrap.py::test_behind_landlock_all_else_among_the_packages_can_be_read",
)
PACKAGES = _seen("test_of_this_project_nothing_is_left_among_the_packages")


def _limit(name: str, tests: tuple[str, ...] = LIMIT) -> Wall:
    return Wall(
        f"limit: {name}", WALLS_FILE, f"(resource.RLIMIT_{name}, ", "(resource.RLIMIT_RSS, ", tests
    )


def _limit_of_ours(name: str) -> Wall:
    return Wall(f"limit: {name}", WALLS_FILE, f'    "{name}": ', '    "RSS": ', LIMIT)


def _call(name: str, text: str, without: str) -> Wall:
    return Wall(f"filter: {name}", FILTER, text, without, REFUSED)


NAMESPACES = [
    Wall("network namespace of a candidate", WALLS_FILE, " | kernel.NEW_NET |", " |", SHARES_WITH_NOBODY),
    Wall("ipc namespace of a candidate", WALLS_FILE, " | kernel.NEW_IPC |", " |", SHARES_WITH_NOBODY),
    Wall("uts namespace of a candidate", WALLS_FILE, " | kernel.NEW_UTS\n", "\n", SHARES_WITH_NOBODY),
    Wall("pid namespace of a candidate", f"{CANDIDATE}/parent.py", "            kernel.unshare(kernel.NEW_PID)", "            pass", SHARES_WITH_NOBODY),
    Wall("network namespace of the parent", BOX, '"--unshare-net", ', "", SHARES_WITH_NO_HOST),
    Wall("ipc namespace of the parent", BOX, '"--unshare-ipc", ', "", SHARES_WITH_NO_HOST),
    Wall("uts namespace of the parent", BOX, ', "--unshare-uts"]', "]", SHARES_WITH_NO_HOST, also=((BOX, '"--hostname", "candidate", ', ""),)),
    Wall("cgroup namespace of the parent", BOX, '"--unshare-cgroup-try", ', "", SHARES_WITH_NO_HOST),
]  # fmt: skip

LIMITS = [
    *(_limit(name, MEMORY) for name in ("AS", "DATA")),
    *(_limit(name) for name in ("CPU", "FSIZE", "NOFILE", "CORE")),
    *(_limit_of_ours(name) for name in ("STACK", "SIGPENDING", "MEMLOCK", "MSGQUEUE")),
    Wall("limit: NPROC", WALLS_FILE, "            _set_hard(resource.RLIMIT_NPROC, MOST_THREADS)\n", "            pass\n", _seen("test_the_number_of_processes_of_a_namespace_is_limited")),
]  # fmt: skip

PROCESS = [
    Wall("no capability", KERNEL, '    _call("capset", header, (ctypes.c_uint32 * 6)())\n', "", CAPABILITY),
    Wall("no new privileges", WALLS_FILE, "        kernel.drop_privileges()\n", "        pass\n", CAPABILITY),
    Wall("an ordinary user", f"{CANDIDATE}/start.py", "        kernel.become(uid)\n", "        pass\n", _seen("test_it_is_nobody_on_the_host")),
    Wall("first to go where memory ends", WALLS_FILE, 'KILLED_FIRST = "1000"', 'KILLED_FIRST = "0"', _seen("test_it_goes_first_if_the_machine_runs_out_of_memory")),
    Wall("closed descriptors", WALLS_FILE, '    os.closerange(CHANNEL + 1, os.sysconf("SC_OPEN_MAX"))\n', "", OPEN),
    Wall("streams that lead nowhere", WALLS_FILE, "os.dup2(nowhere, stream)", "pass", OPEN),
    Wall("session of its own", WALLS_FILE, "    os.setsid()\n", "", OWN),
    Wall("a candidate ends with its parent", WALLS_FILE, "        kernel.set_death_signal()\n", "", (f"{SHARED}::test_a_candidate_ends_with_its_parent_whatever_ended_that",)),
    Wall("one thread of a parent", "engine/sandbox/warm_parent.py", '        self._refuse_threads(self._command(stay, seconds=WARM_UP_SECONDS)["threads"])\n', "        self._command(stay, seconds=WARM_UP_SECONDS)\n", (f"{SHARED}::test_a_parent_that_has_threads_before_its_first_fork_is_refused",)),
    Wall("one thread after an import", "engine/sandbox/warm_parent.py", '            self._refuse_threads(answer["threads"])\n', "", (f"{SHARED}::test_a_parent_that_an_import_gave_threads_forks_nobody",)),
    Wall("files for nobody else", WALLS_FILE, "os.umask(0o077)", "os.umask(0)", OWN),
]  # fmt: skip

FOLDERS = [
    Wall("noexec", WALLS_FILE, " | kernel.NO_EXEC", "", PRIVATE),
    Wall("nodev", WALLS_FILE, " | kernel.NO_DEV", "", PRIVATE),
    Wall("nosuid", WALLS_FILE, "kernel.NO_SUID | ", "", PRIVATE),
    Wall("size of private folders", WALLS_FILE, "size=64m,", "", PRIVATE),
    Wall("names in private folders", WALLS_FILE, "nr_inodes=4096,", "", PRIVATE),
    Wall("private folders for one user", WALLS_FILE, "mode=0700", "mode=0777", PRIVATE),
    *(
        Wall(f"a private {name}", WALLS_FILE, f'"{name}"', '"/dev/pts"', PRIVATE)
        for name in ("/tmp", "/dev/shm")
    ),
    Wall("an empty /proc", WALLS_FILE, '("/proc", "/dev/pts")', '("/dev/pts",)', EMPTY),
    Wall("an empty /dev/pts", WALLS_FILE, '("/proc", "/dev/pts")', '("/proc",)', EMPTY),
    Wall("empty folders stay empty", WALLS_FILE, '"size=0,nr_inodes=1", kernel.READ_ONLY', '"size=1m", 0', EMPTY),
    Wall("libraries to be read only", MOUNTS, '"--ro-bind", str(source), target]', '"--bind", str(source), target]', _seen("test_nothing_else_can_be_written")),
    Wall("devices to be read only", MOUNTS, '"--remount-ro", "/dev", ', "", _seen("test_nothing_else_can_be_written")),
    Wall("a root to be read only", MOUNTS, '"--remount-ro", "/", ', "", _seen("test_nothing_else_can_be_written")),
]  # fmt: skip

PYTHON = [
    Wall("isolated Python", BOX, '"-I", ', "", SURROUNDINGS),
    Wall("Python without site packages of a user", BOX, '"-S", ', "", SURROUNDINGS),
    Wall("this project among the packages", MOUNTS, "    for source, target in _hidden():\n", "    for source, target in ():\n", PACKAGES),
    Wall("an empty environment", BOX, "env={},", "env=os.environ,", _seen("test_the_box_knows_nothing_of_the_environment_it_was_started_in")),
    Wall("practice is safe from the folder it starts in", BOX, '"-P", ', "", _seen("test_practice_takes_no_module_from_the_folder_that_it_starts_in")),
]  # fmt: skip
LET_THROUGH = """
    fork execve ptrace setns unshare process_vm_readv mount umount2 chroot name_to_handle_at socket
    socketpair connect sendmsg memfd_create shmget mq_open keyctl munlock flock fadvise64 mincore
    sched_setaffinity setpriority setrlimit io_setup timer_create eventfd2 sync sysinfo bpf
    perf_event_open userfaultfd personality setuid
""".split()  # calls of each group that the filter refuses
FILTERED = [
    Wall("the filter", WALLS_FILE, "        kernel.filter_calls(walls.own_program())\n", "", REFUSED),
    _call("refuses what is not named", "seccomp.SyscallFilter(seccomp.ERRNO(errno.EPERM))", "seccomp.SyscallFilter(seccomp.ALLOW)"),
    _call("32-bit calls and x32", "seccomp.Attr.ACT_BADARCH, seccomp.KILL_PROCESS", "seccomp.Attr.ACT_BADARCH, seccomp.ALLOW"),
    _call("new calls are not there", "for number in range(FIRST_NEW, LAST_NEW + 1):", "for number in ():"),
    _call("clone makes threads alone", 'rules.when(seccomp.ALLOW, "clone", 0, CLONE_AS_A_THREAD)', 'rules.add(seccomp.ALLOW, "clone")'),
    _call("limits are read, not set", 'rules.add(seccomp.ALLOW, "prlimit64", *target, seccomp.Arg(2, seccomp.EQ, 0))', 'rules.add(seccomp.ALLOW, "prlimit64")'),
    _call("no locks by fcntl", '("fcntl", 1, (0, 1, 2, 3, 4, 1030))', '("fcntl", 1, (0, 1, 2, 3, 4, 6, 1030))'),
    _call("no leases by fcntl", '("fcntl", 1, (0, 1, 2, 3, 4, 1030))', '("fcntl", 1, (0, 1, 2, 3, 4, 1024, 1030))'),
    _call("no input of terminals by ioctl", "0x5401, 0x802C542A", "0x5401, 0x5412, 0x802C542A"),
    _call("no poisoned pages by madvise", "(0, 1, 2, 3, 4, 8, 14, 15)", "(0, 1, 2, 3, 4, 8, 14, 15, 100)"),
    _call("no dumps by prctl", "15, 16, 0x53564D41", "4, 15, 16, 0x53564D41"),
    _call("no shared futexes", "operation | FUTEX_PRIVATE, either_clock", "operation, either_clock"),
    _call("no shared memory without a file", '"mmap", 3, MAP_SHARED, MAP_TYPE | MAP_ANONYMOUS', '"mmap", 3, MAP_SHARED, MAP_TYPE'),
    _call("no clock of another process", 'rules.when(seccomp.ALLOW, "clock_gettime", 0, 0, CLOCK_OF_A_PROCESS)', 'rules.add(seccomp.ALLOW, "clock_gettime")'),
    _call("a candidate can be killed by itself", "when(seccomp.KILL_PROCESS, name, place", "when(seccomp.ALLOW, name, place"),
    *(_call(name, '"exit", "exit_group", ', f'"exit", "exit_group", "{name}", ') for name in LET_THROUGH),
]  # fmt: skip
RIGHTS = {  # linux/landlock.h; devices can be made by root alone
    "remove folders": 4,
    "remove files": 5,
    "make folders": 7,
    "make files": 8,
    "make sockets": 9,
    "make pipes": 10,
    "make links": 12,
}


def _landlock(name: str, file: str, text: str, without: str, test: str = "") -> Wall:
    test = test or "test_landlock_alone_refuses_all_that_it_knows"
    return Wall(f"Landlock: {name}", file, text, without, (f"{BEHIND}::{test}",))


def _stricter(name: str, text: str, without: str) -> Wall:
    test = "test_the_filter_alone_refuses_all_but_files"
    return _landlock(f"filter: {name}", FILTER, text, without, test)


LANDLOCK = [
    _landlock("its rules", WALLS_FILE, "        _restrict(walls.ruleset)\n", ""),
    _landlock("files that are not listed", KERNEL, "dict.fromkeys(readable, READ_FILE)", 'dict.fromkeys([*readable, "/"], READ_FILE)'),
    _landlock("files are not written", START, "writable=[os.devnull]", 'writable=[os.devnull, "/"]'),
    _landlock("nobody may execute", KERNEL, "FILE_RIGHTS = (1 << 13) - 1", "FILE_RIGHTS = (1 << 13) - 2", "test_landlock_alone_lets_nobody_execute_what_may_be_read"),
    *(_landlock(f"nobody may {name}", KERNEL, "FILE_RIGHTS = (1 << 13) - 1", f"FILE_RIGHTS = (1 << 13) - 1 - (1 << {bit})") for name, bit in RIGHTS.items()),
    _landlock("nobody may bind TCP", KERNEL, "TCP, SCOPES = 3, 3", "TCP, SCOPES = 2, 3"),
    _landlock("nobody may connect TCP", KERNEL, "TCP, SCOPES = 3, 3", "TCP, SCOPES = 1, 3"),
    _landlock("nobody reaches abstract sockets", KERNEL, "TCP, SCOPES = 3, 3", "TCP, SCOPES = 3, 2"),
    _landlock("nobody signals others", KERNEL, "TCP, SCOPES = 3, 3", "TCP, SCOPES = 3, 1"),
    _landlock("TCP is tried before the filter hides it", WALLS_FILE, "if version >= kernel.TCP_VERSION:", "if False:", "test_a_candidate_whom_landlock_does_not_hold_does_not_come_up"),
    _landlock("a signal is tried before the filter hides it", WALLS_FILE, "if version >= kernel.SCOPES_VERSION:", "if False:", "test_a_candidate_whom_landlock_does_not_hold_does_not_come_up"),
    _landlock("a limit on threads", f"{CANDIDATE}/parent.py", "may_start = links - LINKS_OF_A_FOLDER < MOST_THREADS", "may_start = True", "test_threads_are_limited_whatever_else_the_user_runs"),
    _landlock("threads that start are awaited", f"{CANDIDATE}/parent.py", "while may_start and ", "while False and ", "test_threads_that_are_asked_for_at_once_are_counted"),
    _stricter("signals go to oneself", "target = [rules.argument(0, OWN_NUMBER)] if behind_landlock else []", "target = []"),
    _stricter("limits are one's own", "target = [rules.argument(0, 0)] if behind_landlock else []", "target = []"),
    _stricter("plain ways to open a file", "        if not behind_landlock:\n            rules.add(seccomp.ALLOW, name)\n    for", "        rules.add(seccomp.ALLOW, name)\n    for"),
    _stricter("no changes of files by name", "        if not behind_landlock:\n            rules.add(seccomp.ALLOW, name)\n        elif", "        if True:\n            rules.add(seccomp.ALLOW, name)\n        elif"),
    Wall("Landlock: this project among the packages", MOUNTS, "if path in hidden or path.is_symlink():", "if path.is_symlink():", READABLE),
    Wall("Landlock: links out of the packages", MOUNTS, "if path in hidden or path.is_symlink():", "if path in hidden:", READABLE),
    Wall("Landlock: isolated Python", PLAIN, '"-I", ', "", SURROUNDINGS),
    Wall("Landlock: Python without site packages of a user", PLAIN, '"-S", ', "", SURROUNDINGS),
    Wall("Landlock: an environment of its own", PLAIN, "env=mounts.environment(inside=False),", "env=mounts.environment(inside=False) | os.environ,", _seen("test_a_parent_has_no_variable_of_the_environment_it_was_started_in"), also=((PLAIN, "import json\n", "import json\nimport os\n"),)),
]  # fmt: skip
WALLS = [*LANDLOCK, *FILTERED, *NAMESPACES, *LIMITS, *PROCESS, *FOLDERS, *PYTHON]
