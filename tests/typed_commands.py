"""Commands as they are typed: in this process, in one of their own, and the blocks of a page."""

import io
import os
import re
import signal
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import psutil

from autograder._commands.main import main

TOP = Path(__file__).parents[1]
# Whoever runs the tests may ignore Ctrl-C, and then so would a program that they start. That is not undone
# by `preexec_fn`: in a process with threads, what it runs may wait for a lock that nobody is left to open.
WITH_CTRL_C = (
    "import os, signal, sys; signal.signal(signal.SIGINT, signal.SIG_DFL); "
    "os.execv(sys.executable, [sys.executable, *sys.argv[1:]])"
)


def typed(*words: object) -> tuple[int, str]:
    """Run a command where nobody can be asked; return its exit status and what was said."""
    said = io.StringIO()
    with redirect_stdout(said), redirect_stderr(said):
        status = main([*map(str, words)])
    return status, said.getvalue()


def refused(*words: object) -> str:
    """Run a command that is wrong usage, which is said in one line; return that."""
    status, said = typed(*words)
    assert status == 2 and said.count("\n") == 1, said
    return said


class Started:
    """A command in a session of its own, as a terminal starts it; its log has what it says."""

    def __init__(self, log: Path, *words: object):
        self.log = log
        command = [sys.executable, "-c", WITH_CTRL_C, "-m", "autograder", *map(str, words)]
        with log.open("a") as said:
            self.process = subprocess.Popen(
                command, cwd=TOP, stdout=said, stderr=said, start_new_session=True
            )

    @property
    def said(self) -> str:
        return self.log.read_text()

    def send(self, number: signal.Signals, to_all: bool = False) -> int:
        """Send a signal to it, or to all in its session as Ctrl-C does in a terminal; return its exit
        status, once nothing of it is left.
        """
        below = psutil.Process(self.process.pid).children(recursive=True)
        (os.killpg if to_all else os.kill)(self.process.pid, number)
        status = self.process.wait(timeout=120)
        assert not psutil.wait_procs(below, timeout=20)[1]
        return status

    def end(self) -> None:
        """End it, whatever it does."""
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()


def blocks(page: str) -> list[str]:
    """The bash blocks of a page in `docs/`, in their order."""
    return re.findall(r"```bash\n(.*?)```", (TOP / "docs" / page).read_text(), re.S)


def type_in(folder: Path, block: str, settings: str = "") -> str:
    """Type a block in this folder, after the settings of the page; return what is said."""
    done = subprocess.run(
        ["bash", "-c", f"set -eo pipefail\n{settings}{block}"],
        cwd=folder,
        env={
            **os.environ,
            "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
            "PYTHONPATH": str(TOP),
        },
        capture_output=True,
        text=True,
        timeout=400,  # a page's block is several commands
    )
    assert done.returncode == 0, f"{block}\n{done.stdout}{done.stderr}"
    return done.stdout + done.stderr
