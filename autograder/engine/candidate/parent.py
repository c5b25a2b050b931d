"""The warm parent: imports torch once, computes nothing, and forks a candidate on command.

It is trusted, so no output of a candidate ever reaches it. On its control socket it gets a command
at a time, as JSON, and answers it:

    {"import": name}                        import this module, once  -> {"imported": name, "threads": n}
    {"listen": true}, with a descriptor     fork a parent for each connection there -> {"listens": number}
    {"stay": processors}                    stay on these processors            -> {"stayed": processors, "threads": n}
    {"start": limits}, with a descriptor    fork a candidate that answers there -> {"started": number}
    {"wait": number, "seconds": s}          how it ended, if it does in time    -> {"ended": ... | null}
    {"end": number}                         kill it and wait until it is gone   -> {"ended": ...}
"""

import contextlib
import gc
import importlib
import json
import os
import random
import select
import signal
import socket
import time

import numpy as np
import torch

from autograder.engine.candidate import kernel
from autograder.engine.candidate.answers import serve
from autograder.engine.candidate.cells import Shell, make_shell
from autograder.engine.candidate.walls import CHANNEL, MOST_THREADS, WallSettings

MAX_MESSAGE = 4096
POLL_SECONDS = 0.005
START_SECONDS = 0.1  # of a thread
LINKS_OF_A_FOLDER = 2  # of its own; each folder in it has one more
SEED = 20_170_612  # any number would do
IMPORTED = """
    torch torch.optim torch.nn.functional torch.testing numpy safetensors.torch
    matplotlib.pyplot matplotlib_inline.backend_inline IPython pytest ipytest einops
""".split()  # before the first fork, so that no candidate has to


class Parent:
    """Forks candidates, waits for them and kills them.

    `control`: the socket on which commands arrive. `walls`: for candidates, or None for limits
    without walls (practice).
    """

    def __init__(self, control: socket.socket, walls: WallSettings | None):
        self.control = control
        self.walls = walls
        self.living: set[int] = set()
        self.ended: dict[int, dict] = {}
        self.listeners: dict[int, int] = {}  # candidates that ask for threads, by descriptor
        has_namespaces = walls is not None and walls.has_namespaces
        self.own_namespace = os.open("/proc/self/ns/pid", os.O_RDONLY) if has_namespaces else -1
        os.open(os.devnull, os.O_RDONLY)  # if CHANNEL is free, nothing else may take its number
        self.shell = _warm_up()

    def serve(self) -> None:
        """Answer commands until the examiner closes the control socket.

        Meanwhile, let candidates behind Landlock start threads, up to the limit.
        """
        while True:
            self._await_command()
            data, fds, _, _ = socket.recv_fds(self.control, MAX_MESSAGE, 1)
            if not data:
                return
            match json.loads(data):
                case {"import": name}:
                    importlib.import_module(name)
                    self._reply({"imported": name, "threads": self._threads()})
                case {"listen": True}:
                    self._reply({"listens": self._listen(fds[0])})
                case {"stay": processors}:
                    os.sched_setaffinity(0, processors)
                    self._reply({"stayed": processors, "threads": self._threads()})
                case {"start": limits}:
                    self._reply({"started": self._start(fds[0], limits)})
                case {"wait": number, "seconds": seconds}:
                    self._reply({"ended": self._wait(number, time.monotonic() + seconds)})
                case {"end": number}:
                    if number not in self.ended:
                        os.kill(number, signal.SIGKILL)
                    self._reply({"ended": self._wait(number)})
                    del self.ended[number]
                    self.living.discard(number)

    def _threads(self) -> int:
        return kernel.threads() if self.walls else 1

    def _reply(self, message: dict) -> None:
        self.control.send(json.dumps(message).encode())

    def _listen(self, listener: int) -> int:
        """Fork a process that forks a new parent for each connection to the socket `listener`.

        Return its process number. It ends with this process, a new parent with its connection.
        All share the namespaces of this process.
        """
        this_process = os.getpid()
        number = os.fork()
        if number == 0:
            try:
                kernel.end_with_parent(this_process)
                self.control.close()
                with socket.socket(fileno=listener) as sock:
                    self._accept(sock)
            finally:
                os._exit(0)
        os.close(listener)
        return number

    def _accept(self, listener: socket.socket) -> None:
        while True:
            self.control, _ = listener.accept()
            if os.fork() == 0:
                try:
                    listener.close()
                    self.serve()
                finally:
                    for candidate in self.living:  # which would go on without a parent
                        os.kill(candidate, signal.SIGKILL)
                    os._exit(0)
            self.control.close()
            with contextlib.suppress(ChildProcessError):  # reap those that have ended
                while os.waitpid(-1, os.WNOHANG) != (0, 0):
                    continue

    def _await_command(self) -> None:
        control = self.control.fileno()
        while True:
            poll = select.poll()
            for descriptor in (control, *self.listeners):
                poll.register(descriptor, select.POLLIN)
            events = dict(poll.poll())
            if control in events:
                return
            for listener, event in events.items():
                if event & select.POLLIN:
                    self._answer(listener)
                else:  # the candidate has ended
                    del self.listeners[listener]
                    os.close(listener)

    def _answer(self, listener: int) -> None:
        """Let a candidate start a thread if it has fewer than MOST_THREADS. Wait a moment until the
        thread is there, so that the next answer counts it.
        """
        tasks = f"/proc/{self.listeners[listener]}/task"
        with contextlib.suppress(OSError):  # the candidate has ended
            links = os.stat(tasks).st_nlink
            may_start = links - LINKS_OF_A_FOLDER < MOST_THREADS
            kernel.answer_thread(listener, may_start)
            deadline = time.monotonic() + START_SECONDS
            while may_start and os.stat(tasks).st_nlink == links and time.monotonic() < deadline:
                time.sleep(POLL_SECONDS / 100)

    def _start(self, channel: int, limits: dict[str, int]) -> int:
        """Fork a candidate, and return its process number in the namespace of this process.

        With namespaces, it is the first process of a new pid namespace. `channel`: the descriptor
        on which the candidate answers. `limits`: the arguments of `walls.limit`.
        """
        in_namespaces = self.own_namespace >= 0
        pair = socket.socketpair() if self.walls and not in_namespaces else ()
        if in_namespaces:
            kernel.unshare(kernel.NEW_PID)
        number = os.fork()
        if number == 0:
            try:
                os.dup2(channel, CHANNEL)
                _seed()
                serve(limits, self.walls, self.shell, *pair[1:])
            finally:
                os._exit(0)
        os.close(channel)
        if in_namespaces:
            kernel.set_namespace(self.own_namespace, kernel.NEW_PID)
        if pair:
            self._take_listener(number, *pair)
        self.living.add(number)
        return number

    def _take_listener(self, number: int, receiver: socket.socket, sender: socket.socket) -> None:
        """Wait for the descriptor at which a new candidate asks for threads."""
        sender.close()  # this process's copy of the candidate's end
        with receiver:
            _, descriptors, _, _ = socket.recv_fds(receiver, MAX_MESSAGE, 1)
        # a candidate that could not build its walls sent none
        self.listeners |= dict.fromkeys(descriptors, number)

    def _wait(self, number: int, deadline: float | None = None) -> dict | None:
        """Wait until the candidate, with every process in its pid namespace, has ended.

        Return a dict with its exit code ("code") and "cpu_seconds", or None if `deadline`, a time of
        `time.monotonic`, passes first.
        """
        while number not in self.ended:
            pid, status, usage = os.wait4(number, os.WNOHANG if deadline else 0)
            if pid:
                code = os.waitstatus_to_exitcode(status)
                cpu = usage.ru_utime + usage.ru_stime
                self.ended[number] = {"code": code, "cpu_seconds": round(cpu, 6)}
            elif deadline and time.monotonic() > deadline:
                return None
            else:
                time.sleep(POLL_SECONDS)
        return self.ended[number]


def _seed() -> None:
    """Seed torch, NumPy and Python, so that no verdict depends on a candidate's random numbers."""
    # Without a seed, torch and NumPy give other numbers in every process, and Python in every fork
    torch.default_generator.manual_seed(SEED)
    np.random.seed(SEED)
    random.seed(SEED)


def _warm_up() -> Shell:
    """Import the modules that candidates need, and return the shell in which they run cells."""
    # compute nothing large: torch would start a pool of threads, which does not survive a fork
    shell = make_shell()  # first: matplotlib's inline backend joins the shell that it finds
    for name in IMPORTED:
        importlib.import_module(name)
    shell.lacking.replace_compiler()
    torch.set_num_threads(1)
    torch.zeros(1).half().float()  # has torch ask for the processor, which no candidate may
    gc.collect()
    gc.freeze()
    return shell
