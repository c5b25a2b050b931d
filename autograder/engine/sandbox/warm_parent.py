"""Our end of the control socket of a warm parent: start it, have candidates forked, end it.

See `candidate/parent.py` for the other end and for the messages.
"""

import json
import os
import signal
import socket
import subprocess
import tempfile
import time
import weakref
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from autograder.engine.candidate.channel import Channel, ChannelError
from autograder.engine.process import Limits, SandboxError
from autograder.engine.sandbox.bubblewrap import start_bare, start_walled

WARM_UP_SECONDS = 180.0  # a cold disk may take long to read torch
START_SECONDS = 20.0
COMMAND_SECONDS = 30.0
LAST_WORDS_SECONDS = 2.0  # between the end of a channel and the end of its process
LEAVE_SECONDS = 5.0
COUNTED_AT_LEAST = 0.25  # of the limit on CPU seconds has been used, when the kernel says all of it
MAX_MESSAGE = 4096


@dataclass(frozen=True)
class Ended:
    """How a candidate ended: its exit code (negative: by that signal), the CPU it used."""

    code: int
    cpu_seconds: float


class Process:
    """A started candidate: its channel, and the one way to end it. Raises `SandboxError` throughout."""

    def __init__(self, parent: "WarmParent", number: int, channel: Channel, limits: Limits):
        self.parent = parent
        self.number = number  # of the process, as the parent counts
        self.channel = channel
        self.limits = limits
        self.kills_before = _out_of_memory_kills()

    def ran_out_of_cpu(self) -> bool:
        """Whether the limit on CPU time ended a candidate that closed its channel.

        The kernel holds to that limit by ticks, which a candidate can make look like more time than
        it had; it cannot kill itself in that way, though.
        """
        ended = self.parent.wait(self.number)
        if ended is None or ended.code != -signal.SIGKILL:
            return False
        much = ended.cpu_seconds > self.limits.cpu_seconds * COUNTED_AT_LEAST
        if self.parent.walled and (not much or _out_of_memory_kills() > self.kills_before):
            raise SandboxError(
                "something on this machine killed a candidate; is there memory for all of them?"
            )
        return much

    def end(self) -> Ended:
        """Kill everything behind the walls; return how it ended when nothing of it is left."""
        self.channel.close()
        return self.parent.end(self.number)


def _out_of_memory_kills() -> int:
    """How many processes the kernel has killed for want of memory since it started."""
    try:
        lines = Path("/proc/vmstat").read_text().splitlines()
    except OSError:
        return 0
    return sum(int(line.split()[1]) for line in lines if line.startswith("oom_kill "))


class WarmParent:
    """A process that has everything imported and forks candidates. Raises `SandboxError` throughout."""

    def __init__(self, walled: bool):
        self.walled = walled
        self.candidates_cpu = 0.0  # seconds of all that have ended
        try:
            self.control, theirs = socket.socketpair()
            self.complaints = tempfile.TemporaryFile()  # noqa: SIM115  closed by `_end`
        except OSError as error:
            raise SandboxError(f"no warm parent can be started: {error}") from error
        start = start_walled if walled else start_bare
        try:
            with theirs:
                self.popen = start(theirs.fileno(), self.complaints)
        except (OSError, SandboxError) as error:
            self.control.close()
            self.complaints.close()
            if isinstance(error, SandboxError):
                raise
            raise SandboxError(f"no warm parent can be started: {error}") from error
        self.close = weakref.finalize(self, _end, self.popen, self.control, self.complaints)
        threads = self._hear(WARM_UP_SECONDS).get("ready")
        if threads != 1:  # a second thread's locks would hang every fork
            self.close()
            raise SandboxError(f"the warm parent has {threads} threads instead of one")

    def lives(self) -> bool:
        return bool(self.close.alive) and self.popen.poll() is None

    def start(self, limits: Limits) -> Process:
        """Fork a candidate and wait until it stands behind its walls."""
        try:
            ours, theirs = socket.socketpair()
        except OSError as error:
            raise SandboxError(f"no candidate can be started: {error}") from error
        try:
            with theirs:
                number = self._command({"start": limits.inside()}, [theirs.fileno()])["started"]
        except SandboxError:
            ours.close()
            raise
        process = Process(self, number, Channel(ours), limits)
        try:
            answer = process.channel.receive(time.monotonic() + START_SECONDS)
        except ChannelError as error:
            process.end()
            raise SandboxError(f"a candidate did not come up: {error}") from error
        if "refused" in answer:
            process.end()
            raise SandboxError(f"a candidate could not be walled in: {answer['refused']}")
        return process

    def wait(self, number: int) -> Ended | None:
        """Return how a candidate ended, or None if it still lives after a moment."""
        ended = self._command({"wait": number, "seconds": LAST_WORDS_SECONDS})["ended"]
        return Ended(**ended) if ended else None

    def end(self, number: int) -> Ended:
        """Kill a candidate; return how it ended when nothing of it is left."""
        ended = Ended(**self._command({"end": number})["ended"])
        self.candidates_cpu += ended.cpu_seconds
        return ended

    def _command(self, message: dict, fds: list[int] | None = None) -> dict[str, Any]:
        try:
            socket.send_fds(self.control, [json.dumps(message).encode()], fds or [])
        except OSError as error:
            raise self._gone() from error
        return self._hear(COMMAND_SECONDS)

    def _hear(self, seconds: float) -> dict[str, Any]:
        self.control.settimeout(seconds)
        try:
            data = self.control.recv(MAX_MESSAGE)
        except OSError as error:
            raise self._gone() from error
        if not data:
            raise self._gone()
        return json.loads(data)

    def _gone(self) -> SandboxError:
        """End what is left of it; return the reason that it gave."""
        if not self.close.alive:
            return SandboxError("the warm parent is gone")
        _leave(self.popen, self.control)
        self.complaints.seek(0)
        last = self.complaints.read().decode(errors="replace").strip().splitlines()[-1:]
        self.close()
        return SandboxError(f"the warm parent is gone: {''.join(last) or 'it does not say why'}")


def _end(popen: subprocess.Popen, control: socket.socket, complaints: IO[bytes]) -> None:
    _leave(popen, control)
    complaints.close()


def _leave(popen: subprocess.Popen, control: socket.socket) -> None:
    """Close the control socket, on which the parent leaves; kill it if it does not."""
    control.close()
    deadline = time.monotonic() + LEAVE_SECONDS
    while popen.poll() is None and time.monotonic() < deadline:
        time.sleep(0.01)
    if popen.poll() is None:
        for inside in _children(popen.pid):  # the first of its namespace takes all others with it
            os.kill(inside, signal.SIGKILL)
        popen.kill()
        popen.wait()


def _children(pid: int) -> list[int]:
    try:
        return [
            int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        ]
    except OSError:
        return []
