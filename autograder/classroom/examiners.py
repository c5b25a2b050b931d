"""Processes of this machine that grade: one that has everything imported, and its forks, the workers.

The first one starts a warm parent, imports torch while that one does the same, tries the walls once,
has pytest collect the graders, and computes nothing: it has one thread, and forks a worker whenever it
is told to. Each worker gets a warm parent of its own, forked from the first one. On its control socket
it says when it is ready, and answers commands:

                                            -> {"ready": true} or {"failed": why}
    {"fork": true}, with a descriptor       fork a worker that is asked there -> {"forked": number}

A worker is sent what `packed.py` packs and answers with a pickled `Graded`, or with why there is none:
both ends are ours.
"""

from __future__ import annotations

import contextlib
import gc
import json
import os
import pickle
import signal
import socket
from multiprocessing.connection import Connection
from typing import TYPE_CHECKING, NoReturn

from autograder.classroom.worker import claim_a_processor
from autograder.engine.assignment import GraderError
from autograder.engine.candidate import kernel
from autograder.engine.fingerprint import RunSettings
from autograder.engine.graded import describe_error
from autograder.engine.process import NAMESPACES, Limits, SandboxError
from autograder.engine.sandbox.started import start_parent
from autograder.text import guard_streams

if TYPE_CHECKING:
    from autograder.engine.sandbox.walls import Walls

MAX_MESSAGE = 64 << 10  # bytes
MAX_REASON = 8_000  # characters


def main(descriptor: int) -> None:
    """Serve on the control socket with this descriptor, on which the settings come first."""
    guard_streams()
    control = socket.socket(fileno=descriptor)
    first = control.recv(MAX_MESSAGE)
    if not first:  # the run is over
        return
    try:
        walls = _prepare(pickle.loads(first))
    except SandboxError as error:
        _reply(control, {"failed": str(error)[:MAX_REASON]})
        return
    _reply(control, {"ready": True})
    Server(control, walls).serve()


def _prepare(settings: RunSettings) -> Walls:
    """Import and collect what every worker needs; return walls that were tried. Raises `SandboxError`."""
    started = start_parent(settings.sandbox == NAMESPACES)  # first: it imports torch beside us
    from autograder.engine.examiner.session import collect_checks
    from autograder.engine.grade import prepare
    from autograder.engine.sandbox.walls import Walls

    with contextlib.suppress(GraderError):  # each submission will say it
        collect_checks(tuple(settings.assignment.exercises))
    walls = prepare(settings, started).walls
    assert isinstance(walls, Walls)
    if (threads := kernel.threads()) != 1:  # a second thread's locks would hang every fork
        raise SandboxError(f"the process that forks workers has {threads} threads instead of one")
    gc.collect()
    gc.freeze()
    return walls


def _reply(control: socket.socket, message: dict) -> None:
    with contextlib.suppress(BrokenPipeError):  # the run is over: the next command says so
        control.send(json.dumps(message).encode())


class Server:
    """Forks workers until the run closes the control socket. Every worker ends with this process."""

    def __init__(self, control: socket.socket, walls: Walls):
        self.control = control
        self.walls = walls
        self.workers: list[int] = []

    def serve(self) -> None:
        while True:
            data, descriptors, _, _ = socket.recv_fds(self.control, MAX_MESSAGE, 1)
            if not data:
                return
            self.workers = [one for one in self.workers if os.waitpid(one, os.WNOHANG) == (0, 0)]
            try:
                self.workers.append(self._fork(descriptors[0]))
            except SandboxError as error:
                _reply(self.control, {"failed": str(error)[:MAX_REASON]})
            else:
                _reply(self.control, {"forked": self.workers[-1]})

    def _fork(self, descriptor: int) -> int:
        """Fork a worker that is asked there; return its process number. Raises `SandboxError`."""
        ours = os.getpid()
        with self.walls.share() as shared:
            number = os.fork()
            if number == 0:
                try:
                    kernel.end_with_parent(ours)
                    self.control.close()
                    self.walls.take(shared, claim_a_processor())
                    _work(Connection(descriptor))
                finally:
                    os._exit(0)
        os.close(descriptor)
        return number


def _work(asked: Connection) -> NoReturn:
    """Grade one submission after another until the run closes the connection: then `EOFError`."""
    while True:
        packed = asked.recv_bytes()
        signal.alarm(Limits().alarm_seconds)  # the kernel ends it, whatever it is in
        try:
            answer: object = pickle.loads(packed)
        except Exception as error:
            answer = describe_error(error)
        signal.alarm(0)
        asked.send_bytes(pickle.dumps(answer))
