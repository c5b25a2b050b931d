"""The examiner's end of a warm parent's control socket: have candidates forked, end them.

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
COUNTED_AT_LEAST = 0.125  # of the limit on CPU has been used, when the kernel says all of it
MAX_MESSAGE = 4096
# Statuses of a process that SIGKILL ended: its own, as a shell and bubblewrap report it, and that
# of the process which waits for it inside (`candidate/start.py`).
KILLED = (-9, 137, 247)
CREDENTIALS = struct.Struct("iII")  # struct ucred of unix(7): process, user, group


@dataclass(frozen=True)
class CandidateExit:
    """How a candidate ended: its exit code (negative if a signal killed it), and the seconds of CPU
    that it used.
    """

    code: int
    cpu_seconds: float


class Process:
    """A started candidate: its channel, what it has used, and how to end it. Methods raise
    `SandboxError` for a fault of the machine.

    `parent`: what forked it; `number`: its process number as the parent sees it; `limits`: its
    limits; `reader`: reads what it has used.
    """

    def __init__(
        self,
        parent: "ParentConnection",
        number: int,
        channel: Channel,
        limits: Limits,
        reader: UsageReader,
    ):
        self.parent = parent
        self.number = number  # of the process, as the parent counts
        self.channel = channel
        self.limits = limits
        self.reader = reader
        self.usage, self.measured = reader.read, reader.measured
        self.kills_before = _out_of_memory_kills()

    def ran_out_of_cpu(self) -> bool:
        """Whether the limit on CPU time killed a candidate that has closed its channel.

        Raise `SandboxError` if something else on the machine killed it. The kernel counts ticks, by
        which a candidate can seem to have used more time than it did; but it cannot have itself
        killed in this way.
        """
        begin = self.usage()
        while (ended := self.parent.wait(self.number)) is None:
            if self.usage().since(begin) > LAST_WORDS_SECONDS:
                return False
        if ended.code != -signal.SIGKILL:
            return False
        much = ended.cpu_seconds > self.limits.cpu_seconds * COUNTED_AT_LEAST
        if self.parent.level != PRACTICE and (
            not much or _out_of_memory_kills() > self.kills_before
        ):
            raise SandboxError(
                "something on this machine killed a candidate; is there memory for all of them?"
            )
        return much

    def end(self) -> CandidateExit:
        """Kill the candidate and every process in its namespace; when all have ended, return how
        the candidate ended.
        """
        self.channel.close()
        self.reader.close()
        return self.parent.end(self.number)


def _sender(sock: socket.socket) -> int:
    """Return the process number, in this namespace, of the sender of the next message on `sock`;
    the message stays unread.

    Raise `OSError` if no message arrives in time.
    """
    sock.settimeout(START_SECONDS)
    _, said, _, _ = sock.recvmsg(1, socket.CMSG_SPACE(CREDENTIALS.size), socket.MSG_PEEK)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 0)
    for _, kind, data in said:
        if kind == socket.SCM_CREDENTIALS:
            return int(CREDENTIALS.unpack(data[: CREDENTIALS.size])[0])
    raise OSError("nobody sent anything")


def _out_of_memory_kills() -> int:
    """Return how many processes the kernel has killed for lack of memory since it booted."""
    try:
        lines = Path("/proc/vmstat").read_text().splitlines()
    except OSError:
        return 0
    return sum(int(line.split()[1]) for line in lines if line.startswith("oom_kill "))


class ParentConnection:
    """A connection to a warm parent that a listening parent has forked. The warm parent forks
    candidates, and ends when the connection is closed. Methods raise `SandboxError` if it does not
    answer.

    `control`: the connected socket; `level`: of the sandbox of its candidates; `outside`: the number
    of a process of the host, which candidates must not see.
    """

    def __init__(self, control: socket.socket, level: str, outside: int):
        self.level = level
        self.control = control
        self.outside = outside  # the number of a process of the host that candidates must not see
        self.candidates_cpu = 0.0  # seconds of all that have ended
        self.imported: set[str] = set()
        self.close = weakref.finalize(self, control.close)

    def lives(self) -> bool:
        """Whether the connection is still open on this side."""
        return bool(self.close.alive)

    def start(self, limits: Limits, needs: Collection[str] = ()) -> Process:
        """Have the parent fork a candidate that has imported the modules `needs`; return it when it
        has built its walls. Wait for a new parent with `await_ready` first.

        Raise `SandboxError` if it cannot be started or cannot build them.
        """
        for name in sorted({*needs} - self.imported):
            answer = self._command({"import": name}, seconds=WARM_UP_SECONDS)
            self._refuse_threads(answer["threads"])
            self.imported.add(name)
        try:
            ours, theirs = socket.socketpair()
        except OSError as error:
            raise SandboxError(f"no candidate can be started: {error}") from error
        try:
            ours.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
            with theirs:
                number = self._command({"start": limits.inside()}, [theirs.fileno()])["started"]
            reader = UsageReader(_sender(ours))
        except (SandboxError, OSError) as error:
            ours.close()
            raise SandboxError(f"a candidate did not come up: {error}") from error
        process = Process(self, number, Channel(ours), limits, reader)
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
        """Wait a moment for the candidate with this process number to end; return how it ended, or
        None if it is still running.
        """
        ended = self._command({"wait": number, "seconds": LAST_WORDS_SECONDS})["ended"]
        return CandidateExit(**ended) if ended else None

    def end(self, number: int) -> CandidateExit:
        """Kill the candidate with this process number; return how it ended, when none of its
        processes is left.
        """
        ended = CandidateExit(**self._command({"end": number})["ended"])
        self.candidates_cpu += ended.cpu_seconds
        return ended

    def await_ready(self) -> None:
        """Wait until the parent has imported everything and answers commands; have it use the
        processors of this process. Raise `SandboxError` if it takes longer than WARM_UP_SECONDS.
        """
        stay = {"stay": [*os.sched_getaffinity(0)]}
        self._refuse_threads(self._command(stay, seconds=WARM_UP_SECONDS)["threads"])

    def _refuse_threads(self, threads: int) -> None:
        """Close the connection and raise `SandboxError` unless `threads`, how many the parent has,
        is 1: a lock that a second thread holds would block its forks.
        """
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
        """Close the connection; return the error for a parent that has ended."""
        self.close()
        return SandboxError("the warm parent is gone")


class WarmParent(ParentConnection):
    """A warm parent with a process of its own, for candidates with this level of the sandbox."""

    def __init__(self, level: str):
        self.started = start_parent(level)
        super().__init__(self.started.control, level, self.started.popen.pid)
        self.close = weakref.finalize(self, self.started.end)

    @property
    def popen(self) -> subprocess.Popen:
        """The outermost process, which is bubblewrap if there are namespaces."""
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
        """Return how the process of a parent that wrote no error message has ended."""
        status = self.popen.returncode
        return "it was killed" if status in KILLED else f"it ended with status {status}"


def connect(address: str, level: str) -> ParentConnection | None:
    """Return a connection to a new warm parent, forked by the `ListeningParent` with this address;
    None if none listens there whose candidates have this level of the sandbox.
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
