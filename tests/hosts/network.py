"""Hosts made of namespaces, each with a name, an address, processes and mounts of its own.

They hang on a bridge in one more namespace, the switch, so that nothing of this machine's network is
touched, and no rights of root are needed. All of it lives in processes that end when their input is
closed: also where the process that made them is killed without warning, nothing is left.
"""

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tests.benchmarks.checkout import CHECKOUT

PROGRAMS = "unshare", "nsenter", "ip", "mount"
NAMESPACES = "--net", "--uts", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc"
IS_ROOT = os.geteuid() == 0  # else a user namespace in which we are
NEW_USER = () if IS_ROOT else ("--user", "--map-root-user")
SAME_USER = () if IS_ROOT else ("--preserve-credentials", "--user")
OF_A_PROGRAM = *SAME_USER, "--net", "--uts", "--mount", "--pid"
HOLD = "hostname {name} && ip link set lo up && echo up && read _"
LEAVE_SECONDS = 10.0
TUN = Path("/dev/net/tun")
MAY_SLOW_DOWN = os.access(TUN, os.R_OK | os.W_OK)


class NoHosts(Exception):
    """No hosts can be made on this machine; the message says why."""


@dataclass
class Program:
    """A program that runs on a host."""

    process: subprocess.Popen  # `nsenter`, whose only child is the program
    log: Path

    @property
    def said(self) -> str:
        return self.log.read_text(errors="replace")

    def signal(self, number: int) -> None:
        with contextlib.suppress(ProcessLookupError):
            for pid in _children(self.process.pid):
                os.kill(pid, number)

    def wait(self, seconds: float) -> int:
        """Return its exit status. Raises `TimeoutExpired`."""
        return self.process.wait(seconds)

    def wait_for(self, sentence: str, seconds: float) -> None:
        """Wait until its log has this in it. Raises `TimeoutError`, with the log."""
        deadline = time.monotonic() + seconds
        while True:
            ended = self.process.poll() is not None or time.monotonic() > deadline
            if sentence in self.said:
                return
            if ended:
                raise TimeoutError(f"`{sentence}` was never said: {self.said}")
            time.sleep(0.05)


@dataclass
class Host:
    """One host; it is there until it dies."""

    name: str
    address: str
    holder: subprocess.Popen  # `unshare`, whose only child is the host's first process
    folder: Path  # of its logs
    environment: dict[str, str] = field(default_factory=dict)  # of its programs
    programs: list[Program] = field(default_factory=list)

    @property
    def pid(self) -> int:
        return _children(self.holder.pid)[0]

    def start(self, name: str, words: Sequence[str | Path], cwd: Path | None = None) -> Program:
        """Start a program of this name; what it says goes into a log."""
        log = self.folder / f"{self.name}-{name}.log"
        command = ["nsenter", "--target", str(self.pid), *OF_A_PROGRAM]
        if cwd:  # a folder as this host sees it
            command += [f"--wdns={cwd}"]
        with log.open("ab") as said:
            process = subprocess.Popen(
                [*command, *map(str, words)],
                stdin=subprocess.DEVNULL,
                stdout=said,
                stderr=said,
                env=self.environment,
            )
        self.programs.append(Program(process, log))
        return self.programs[-1]

    def run(self, *words: str | Path) -> str:
        """Run a program to its end; return what it printed. Raises `NoHosts`."""
        return _run("nsenter", "--target", str(self.pid), *OF_A_PROGRAM, *map(str, words))

    def mount_disk(self, folder: Path, megabytes: float) -> None:
        """Put an empty disk of this size there, which no other host sees."""
        size = f"size={int(megabytes * 1024)}k"
        self.run("mount", "-t", "tmpfs", "-o", size, "tmpfs", folder)

    def see(self, path: Path) -> Path:
        """Return the way to a file of this host from outside."""
        return Path(f"/proc/{self.pid}/root") / path.relative_to("/")

    def die(self) -> None:
        """Kill all that runs on it, at once and without warning, and its line with it."""
        os.kill(self.pid, signal.SIGKILL)
        self.holder.wait(LEAVE_SECONDS)


@dataclass
class Network:
    """A switch, and the hosts that hang on it."""

    folder: Path
    hosts: list[Host] = field(default_factory=list)
    holders: list[subprocess.Popen] = field(default_factory=list)
    wires: list[subprocess.Popen] = field(default_factory=list)

    @property
    def switch(self) -> int:
        return _children(self.holders[0].pid)[0]

    def open(self) -> None:
        """Make the switch. Raises `NoHosts`."""
        if missing := [one for one in PROGRAMS if shutil.which(one) is None]:
            raise NoHosts(f"there is no `{missing[0]}`")
        self._hold("unshare", *NEW_USER, *NAMESPACES, name="switch")
        self._on_switch("ip", "link", "add", "switch", "type", "bridge")
        self._on_switch("ip", "link", "set", "switch", "up")

    def add(self, name: str, delay: float = 0.0, loss: float = 0.0) -> Host:
        """Add a host. Its line keeps each packet for `delay` seconds, and loses this share of them."""
        number = len(self.hosts) + 1
        holder = self._hold(*self._enter("--uts", "--mount"), "unshare", *NAMESPACES, name=name)
        host = Host(name, f"10.77.0.{number}", holder, self.folder)
        if delay or loss:
            self._add_slow_wire(host, delay, loss)
        else:
            peer = ["type", "veth", "peer", "name", "eth0", "netns", str(host.pid)]
            self._on_switch("ip", "link", "add", name, *peer)
        self._on_switch("ip", "link", "set", name, "master", "switch")
        host.run("ip", "address", "add", f"{host.address}/24", "dev", "eth0")
        host.run("ip", "link", "set", "eth0", "up")
        self.plug(host)
        self.hosts.append(host)
        return host

    def unplug(self, host: Host) -> None:
        """Pull its cable: nothing goes through any more, and nobody is told."""
        self._on_switch("ip", "link", "set", host.name, "down")

    def plug(self, host: Host) -> None:
        self._on_switch("ip", "link", "set", host.name, "up")

    def close(self) -> None:
        """Take all of it away, with whatever runs on the hosts."""
        for holder in reversed([*self.holders, *self.wires]):
            assert holder.stdin
            holder.stdin.close()
        programs = [program.process for host in self.hosts for program in host.programs]
        for process in (*self.holders, *self.wires, *programs):
            try:
                process.wait(LEAVE_SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
            if process.stdout:
                process.stdout.close()

    def _add_slow_wire(self, host: Host, delay: float, loss: float) -> None:
        if not MAY_SLOW_DOWN:
            raise NoHosts(f"`{TUN}` may not be used")
        ends = [f"{self.switch}:{host.name}", f"{host.pid}:eth0"]
        words = [sys.executable, "-m", "tests.hosts.slow_wire", *ends, str(delay), str(loss)]
        wire = subprocess.Popen(
            ["nsenter", "--target", str(self.switch), *SAME_USER, *words],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=CHECKOUT,
            text=True,
        )
        self.wires.append(wire)
        assert wire.stdout
        if not wire.stdout.readline():
            raise NoHosts("a slow wire cannot be made")

    def _enter(self, *more: str) -> list[str]:
        return ["nsenter", "--target", str(self.switch), *SAME_USER, "--net", *more]

    def _on_switch(self, *words: str) -> None:
        _run(*self._enter(), *words)

    def _hold(self, *command: str, name: str) -> subprocess.Popen:
        """Start a process that keeps namespaces until its input is closed. Raises `NoHosts`."""
        holder = subprocess.Popen(
            [*command, "sh", "-c", HOLD.format(name=name)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self.holders.append(holder)
        assert holder.stdout
        line = holder.stdout.readline().strip()
        if line != "up":
            raise NoHosts(f"namespaces may not be made ({line or 'it is not said why'})")
        return holder


@contextlib.contextmanager
def network(folder: Path) -> Iterator[Network]:
    """A network while the block runs. Raises `NoHosts`."""
    folder.mkdir(parents=True, exist_ok=True)
    made = Network(folder)
    try:
        made.open()
        yield made
    finally:
        made.close()


def _run(*words: str) -> str:
    done = subprocess.run(words, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if done.returncode:
        raise NoHosts(f"`{' '.join(words[-6:])}`: {done.stderr.strip()}")
    return done.stdout


def _children(pid: int) -> list[int]:
    """Raises `ProcessLookupError`."""
    try:
        return [int(one) for one in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except FileNotFoundError as error:
        raise ProcessLookupError(pid) from error
