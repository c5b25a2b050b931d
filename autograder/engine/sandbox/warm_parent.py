"""Have a warm parent fork and end candidates: the examiner's end of its control socket.

The other end, and the messages, are in `candidate/parent.py`.

    parent = WarmParent(NAMESPACES)               starts bubblewrap; imports torch once, in seconds
    process = parent.start(Limits())              forks a candidate, in milliseconds
    process.channel.send(question)                the examiner talks to the candidate itself
    process.end()                                 CandidateExit(code=-9, cpu_seconds=0.31)
    parent.close()
"""

import json
import os
import signal
import socket
import struct
import subprocess
import weakref
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from autograder.engine.candidate.channel import Channel, within
from autograder.engine.candidate.frames import ChannelError
from autograder.engine.limits.process import PRACTICE, Limits, SandboxError
from autograder.engine.sandbox.started import start_parent
from autograder.engine.sandbox.usage import UsageReader

WARM_UP_SECONDS = 180.0  # a cold disk may take long to read torch
START_SECONDS = 20.0
COMMAND_SECONDS = 30.0
LAST_WORDS_SECONDS = 2.0  # of a student's time, between the end of a channel and of its process
COUNTED_AT_LEAST = 0.125  # the part of the limit on CPU that is used when the kernel enforces it
MAX_MESSAGE = 4096
# Statuses of a process that SIGKILL ended: its own, as a shell and bubblewrap report it, and the
# status of the process inside that waits for it (`candidate/start.py`).
KILLED = (-9, 137, 247)
CREDENTIALS = struct.Struct("iII")  # struct ucred of unix(7): process, user, group


@dataclass(frozen=True)
class CandidateExit:
    """The end of a candidate."""

    code: int  # negative if a signal killed it
    cpu_seconds: float


class Process:
    """A started candidate. Methods raise `SandboxError` for a fault of the machine."""

    def __init__(
        self,
        parent: "ParentConnection",
        number: int,
        channel: Channel,
        limits: Limits,
        reader: UsageReader,
    ):
        self.parent = parent
        self.number = number  # of the process, in the parent's namespace
        self.channel = channel
        self.limits = limits
        self.reader = reader
        self.usage, self.measured = reader.read, reader.measured
        self.kills_before = _out_of_memory_kills()

    def ran_out_of_cpu(self) -> bool:
        """Whether the limit on CPU time killed a candidate that has closed its channel.

        Raise `SandboxError` if something else on the machine killed it.
        """
        begin = self.usage()
        while (candidate_exit := self.parent.wait(self.number)) is None:
            if self.usage().since(begin) > LAST_WORDS_SECONDS:
                return False
        if candidate_exit.code != -signal.SIGKILL:
            return False
        # A candidate can cause more clock ticks than its time, by which the kernel limits it, but it
        # cannot have itself killed in this way.
        reached_limit = candidate_exit.cpu_seconds > self.limits.cpu_seconds * COUNTED_AT_LEAST
        if self.parent.level != PRACTICE and (
            not reached_limit or _out_of_memory_kills() > self.kills_before
        ):
            raise SandboxError(
                "something on this machine killed a candidate; is there memory for all of them?"
            )
        return reached_limit

    def end(self) -> CandidateExit:
        """Kill the candidate and every process in its namespace, and wait until all have ended."""
        self.channel.close()
        self.reader.close()
        return self.parent.end(self.number)


def _sender(sock: socket.socket) -> int:
    """Return the process number, in this namespace, of the sender of the next message on `sock`.

    The message stays unread. Raise `OSError` if no message arrives in time.
    """
    sock.settimeout(START_SECONDS)
    _, ancillary, _, _ = sock.recvmsg(1, socket.CMSG_SPACE(CREDENTIALS.size), socket.MSG_PEEK)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 0)
    for _, kind, data in ancillary:
        if kind == socket.SCM_CREDENTIALS:
            return int(CREDENTIALS.unpack(data[: CREDENTIALS.size])[0])
    raise OSError("nobody sent anything")


def _out_of_memory_kills() -> int:
    """Return how many processes the kernel has killed for lack of memory since boot."""
    try:
        lines = Path("/proc/vmstat").read_text().splitlines()
    except OSError:
        return 0
    return sum(int(line.split()[1]) for line in lines if line.startswith("oom_kill "))


class ParentConnection:
    """A connection to a warm parent, which forks candidates and ends when the connection is closed.

    `level`: of the sandbox. Methods raise `SandboxError` if the parent does not answer.
    """

    def __init__(self, control: socket.socket, level: str, outside: int):
        self.level = level
        self.control = control
        self.outside = outside  # the number of a process of the host that candidates must not see
        self.candidates_cpu = 0.0  # seconds of all candidates that have ended
        self.imported: set[str] = set()
        self.close = weakref.finalize(self, control.close)

    def lives(self) -> bool:
        """Whether the connection is still open on this side."""
        return bool(self.close.alive)

    def start(self, limits: Limits, needs: Collection[str] = ()) -> Process:
        """Have the parent fork a candidate that has imported the modules `needs`.

        Return it when it has built its walls. Call `await_ready` of a new parent first. Raise
        `SandboxError` if the candidate cannot be started or cannot build its walls.
        """
        for name in sorted({*needs} - self.imported):
            answer = self._command({"import": name}, seconds=WARM_UP_SECONDS)
            self._refuse_threads(answer["threads"])
            self.imported.add(name)
        try:
            channel_end, candidate_end = socket.socketpair()
        except OSError as error:
            raise SandboxError(f"no candidate can be started: {error}") from error
        try:
            channel_end.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
            with candidate_end:
                fds = [candidate_end.fileno()]
                number = self._command({"start": limits.inside()}, fds)["started"]
            reader = UsageReader(_sender(channel_end))
        except (SandboxError, OSError) as error:
            channel_end.close()
            raise SandboxError(f"a candidate did not come up: {error}") from error
        process = Process(self, number, Channel(channel_end), limits, reader)
        try:
            answer = process.channel.receive(within(START_SECONDS))
        except ChannelError as error:
            process.end()
            raise SandboxError(f"a candidate did not come up: {error}") from error
        if "refused" in answer:
            process.end()
            raise SandboxError(f"a candidate could not be walled in: {answer['refused']}")
        return process

    def wait(self, number: int) -> CandidateExit | None:
        """Wait a moment for the candidate with this process number to end.

        Return None if it is still running.
        """
        fields = self._command({"wait": number, "seconds": LAST_WORDS_SECONDS})["ended"]
        return CandidateExit(**fields) if fields else None

    def end(self, number: int) -> CandidateExit:
        """Kill the candidate with this process number, and wait until its processes have ended."""
        candidate_exit = CandidateExit(**self._command({"end": number})["ended"])
        self.candidates_cpu += candidate_exit.cpu_seconds
        return candidate_exit

    def await_ready(self) -> None:
        """Wait until the parent answers commands, and have it use the processors of this process.

        Raise `SandboxError` if this takes longer than WARM_UP_SECONDS.
        """
        stay = {"stay": [*os.sched_getaffinity(0)]}
        self._refuse_threads(self._command(stay, seconds=WARM_UP_SECONDS)["threads"])

    def _refuse_threads(self, threads: int) -> None:
        """Close the connection and raise `SandboxError` unless the parent has a single thread."""
        # a lock that a second thread holds would block the parent's forks
        if threads != 1:
            self.close()
            raise SandboxError(f"the warm parent has {threads} threads instead of one")

    def _command(
        self, message: dict, fds: Sequence[int] = (), seconds: float = COMMAND_SECONDS
    ) -> dict[str, Any]:
        try:
            socket.send_fds(self.control, [json.dumps(message).encode()], fds)
            self.control.settimeout(seconds)
            data = self.control.recv(MAX_MESSAGE)
        except TimeoutError as error:
            self.close()
            problem = f"the warm parent did not answer within {seconds:.0f} seconds"
            raise SandboxError(problem) from error
        except OSError as error:
            raise self._gone() from error
        if not data:
            raise self._gone()
        return json.loads(data)

    def _gone(self) -> SandboxError:
        """Close the connection, and return the error for a parent that has ended."""
        self.close()
        return SandboxError("the warm parent is gone")


class WarmParent(ParentConnection):
    """A warm parent in a process started here, for candidates with this level of the sandbox."""

    def __init__(self, level: str):
        self.started = start_parent(level)
        super().__init__(self.started.control, level, self.started.popen.pid)
        self.close = weakref.finalize(self, self.started.end)

    @property
    def popen(self) -> subprocess.Popen:
        """The outermost process: bubblewrap if there are namespaces."""
        return self.started.popen

    def lives(self) -> bool:
        """Whether the connection is open and the process is running."""
        return super().lives() and self.popen.poll() is None

    def _gone(self) -> SandboxError:
        if not self.close.alive:
            return SandboxError("the warm parent is gone")
        reason = self.started.last_words() or self._status()
        self.close()
        return SandboxError(f"the warm parent is gone: {reason}")

    def _status(self) -> str:
        status = self.popen.returncode
        return "it was killed" if status in KILLED else f"it ended with status {status}"


def connect(address: str, level: str) -> ParentConnection | None:
    """Return a connection to a new warm parent, forked by the `ListeningParent` with this address.

    Return None if no parent listens there, or if it has another level of the sandbox.
    """
    control = socket.socket(socket.AF_UNIX)
    try:
        if Path(address).name != level:
            raise OSError("its candidates have another level")
        control.connect(address)
        credentials = control.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, CREDENTIALS.size)
    except OSError:
        control.close()
        return None
    return ParentConnection(control, level, outside=CREDENTIALS.unpack(credentials)[0])
