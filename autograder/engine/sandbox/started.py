"""Start and end the process of a warm parent. This module does not import torch."""

import contextlib
import os
import signal
import socket
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from autograder.engine.limits.process import LANDLOCK, NAMESPACES, PRACTICE, SandboxError
from autograder.engine.sandbox.bubblewrap import start_bare, start_walled
from autograder.engine.sandbox.landlock import start_landlocked

STARTERS = {NAMESPACES: start_walled, LANDLOCK: start_landlocked, PRACTICE: start_bare}
LEAVE_SECONDS = 5.0


@dataclass(frozen=True)
class ParentProcess:
    """The process of a warm parent."""

    popen: subprocess.Popen
    control: socket.socket  # this side's end of the control socket
    complaints: IO[bytes]  # its error output
    folder: tempfile.TemporaryDirectory  # for files that it writes

    def end(self) -> None:
        """End the process, close the file with its error output, and remove the folder."""
        self._leave()
        self.complaints.close()
        self.folder.cleanup()

    def last_words(self) -> str:
        """End the process, and return the last line of its error output."""
        self._leave()
        self.complaints.seek(0)
        return "".join(self.complaints.read().decode(errors="replace").strip().splitlines()[-1:])

    def _leave(self) -> None:
        self.control.close()  # at which the process exits
        deadline = time.monotonic() + LEAVE_SECONDS
        while self.popen.poll() is None and time.monotonic() < deadline:
            time.sleep(0.01)
        if self.popen.poll() is None:
            # when the first process of a namespace ends, the kernel ends all its others
            for child in _children(self.popen.pid):
                os.kill(child, signal.SIGKILL)
            self.popen.kill()
            self.popen.wait()


def start_parent(level: str) -> ParentProcess:
    """Start a warm parent for candidates with this level of the sandbox, without waiting for it.

    Raise `SandboxError` if it cannot be started.
    """
    with contextlib.ExitStack() as opened:
        try:
            control, parent_end = socket.socketpair()
            opened.callback(control.close)
            with parent_end:
                complaints = opened.enter_context(tempfile.TemporaryFile())
                folder = tempfile.TemporaryDirectory(
                    prefix="warm-parent-", ignore_cleanup_errors=True
                )
                opened.callback(folder.cleanup)
                popen = STARTERS[level](parent_end.fileno(), complaints, folder.name)
        except OSError as error:
            raise SandboxError(f"no warm parent can be started: {error}") from error
        opened.pop_all()
        return ParentProcess(popen, control, complaints, folder)


def try_namespaces() -> None:
    """Raise `SandboxError` if no warm parent can have namespaces on this host.

    This takes some milliseconds, and does not test the walls of candidates.
    """
    parent = start_parent(NAMESPACES)
    problem = parent.last_words()  # it ends before it imports torch
    parent.end()
    if parent.popen.returncode > 0:
        raise SandboxError(problem)


class ListeningParent:
    """A warm parent that forks another parent for each connection to its `address`, see
    `warm_parent.connect`. The last part of the address is the level of the sandbox.

    Connections wait until it is ready. Raise `SandboxError` if it cannot be started.
    """

    def __init__(self, level: str):
        try:
            self.folder = tempfile.TemporaryDirectory()  # nobody else may look into it
            self.address = f"{self.folder.name}/{level}"
            listener = socket.socket(socket.AF_UNIX)
            listener.bind(self.address)
        except OSError as error:
            raise SandboxError(f"no warm parent can be started: {error}") from error
        with listener:
            listener.listen()
            try:
                self.started = start_parent(level)
            except SandboxError:
                self.folder.cleanup()
                raise
            with contextlib.suppress(OSError):  # it has ended; connecting will fail with the reason
                socket.send_fds(self.started.control, [b'{"listen": true}'], [listener.fileno()])

    def lives(self) -> bool:
        """Whether its process is running."""
        return self.started.popen.poll() is None

    def end(self) -> None:
        """End this parent and all parents forked from it."""
        self.started.end()
        self.folder.cleanup()


def _children(pid: int) -> list[int]:
    try:
        return [
            int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        ]
    except OSError:
        return []
