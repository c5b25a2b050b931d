"""A Dask cluster on several hosts, with TLS, and a class that is sent to it from one more."""

import json
import re
import shutil
import signal
import sys
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from nbgrader.api import Gradebook

from autograder import Assignment
from autograder.authoring.sample_class import SampleSubmission, solutions, write_submission
from tests.benchmarks.checkout import CHECKOUT
from tests.benchmarks.cluster import DASK
from tests.hosts.certificates import Authority
from tests.hosts.cheap import HOLD, STARTED
from tests.hosts.network import Host, Network, Program

PORT = 8786
GONE_SECONDS = 11  # of silence until a connection counts as lost: the least that Dask takes
WAIT_SECONDS = 200.0  # for anything at all
DISK_MEGABYTES = 64
OURS = "--preload", "tests.hosts.cheap", "--no-nanny"  # which would be one process more


@dataclass
class Outcome:
    """What a run of the command left."""

    status: int
    said: str
    verdicts: dict[str, dict] = field(default_factory=dict)

    def states(self) -> Counter[str]:
        return Counter(verdict["state"] for verdict in self.verdicts.values())

    def sentences(self, *words: str) -> list[str]:
        """The lines with all of these words."""
        return [line for line in self.said.splitlines() if all(word in line for word in words)]

    def told_once(self) -> bool:
        """Whether each verdict of this run was told once."""
        told = re.findall(r"^[0-9]+/[0-9]+ (s[0-9]+) graded", self.said, re.MULTILINE)
        return len(told) == len(set(told))


class Cluster:
    """Its hosts, each with a disk of its own; submissions and results are on the sender's only."""

    def __init__(
        self,
        network: Network,
        assignment: Assignment,
        folder: Path,
        wire: dict[str, float],
        settings: Path | None = None,
    ):
        self.network = network
        self.assignment = assignment
        self.folder = folder
        self.authority = Authority()
        self.settings = settings or self.authority.write(folder / "tls")
        self.course = folder / "sender" / "course"
        shutil.copytree(assignment.course.root, self.course)
        self.sender = self.host("sender", **wire)
        self.runs = 0

    @property
    def address(self) -> str:
        return f"tls://{self.scheduler_host.address}:{PORT}"

    def host(self, name: str, settings: Path | None = None, **wire: float) -> Host:
        """Add a host that has a checkout, at a path of its own."""
        disk = self.folder / name
        disk.mkdir(exist_ok=True)
        host = self.network.add(name, **wire)
        if name != "sender":
            host.mount_disk(self.folder / "sender", 1)
            host.mount_disk(disk, DISK_MEGABYTES)
        host.run("mkdir", "-p", disk / "tmp", disk / "checkout")
        host.run("mount", "--bind", CHECKOUT, disk / "checkout")
        host.environment = {
            "PATH": f"{Path(sys.executable).parent}:/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin",
            "HOME": str(disk),
            "TMPDIR": str(disk / "tmp"),
            "PYTHONPATH": str(disk / "checkout"),
            "PYTHONDONTWRITEBYTECODE": "1",
            "DASK_DISTRIBUTED__COMM__TIMEOUTS__CONNECT": "60s",
            "OMP_NUM_THREADS": "1",
            "DASK_CONFIG": str(settings or self.settings),
            "DASK_DISTRIBUTED__COMM__TIMEOUTS__TCP": f"{GONE_SECONDS}s",
        }
        return host

    def start_scheduler(self) -> None:
        self.scheduler_host = self.host("scheduler")
        self.restart_scheduler()

    def restart_scheduler(self) -> None:
        words = ["scheduler", "--protocol", "tls", "--port", str(PORT), "--no-dashboard"]
        self.scheduler = self.scheduler_host.start("scheduler", [DASK, *words])
        self.scheduler.wait_for("Scheduler at:", WAIT_SECONDS)

    def start_worker(self, host: Host, name: str = "worker", *more: str) -> Program:
        """Start a worker as the page for administrators says it."""
        words = ["worker", self.address, "--nthreads", "1", "--no-dashboard", *(more or OURS)]
        course = self.disk(host) / "checkout" / "tests" / "course"
        return host.start(name, [DASK, *words], cwd=course)

    def disk(self, host: Host) -> Path:
        return self.folder / host.name

    def hand_in(self, students: int) -> None:
        """Write a class on the sender's disk; each has another solution."""
        known = solutions(self.assignment)
        first = next(iter(known))
        for number in range(1, students + 1):
            cells = known | {first: f"{known[first]}\n# {number}"}
            place = self.course / "submitted" / f"s{number:03}" / self.assignment.id
            write_submission(self.assignment, place, SampleSubmission(cells, ""))

    def send(self, *more: str) -> Program:
        """Begin to grade the class."""
        self.runs += 1
        words = [sys.executable, "-m", "autograder", "grade", "submitted", *more]
        words += ["--scheduler", self.address, "--assignment", self.assignment.id]
        return self.sender.start(f"run-{self.runs}", words, cwd=self.course)

    def outcome(self, run: Program) -> Outcome:
        """Wait until a run is over. Raises `TimeoutExpired`."""
        status = run.wait(WAIT_SECONDS)
        files = (self.sender.see(self.course) / "results" / self.assignment.id).glob("*.json")
        return Outcome(status, run.said, {f.stem: json.loads(f.read_text()) for f in files})

    def entered_once(self, outcome: Outcome) -> bool:
        """Whether the gradebook has each verdict once, with its points."""
        with Gradebook(f"sqlite:///{self.course}/gradebook.db") as book:
            submissions = book.assignment_submissions(self.assignment.id)
            scores = [(one.student.id, one.score) for one in submissions]
        return sorted(scores) == sorted(
            (name, one["points"]) for name, one in outcome.verdicts.items()
        )

    def kill(self, program: Program) -> None:
        program.signal(signal.SIGKILL)
        program.wait(WAIT_SECONDS)

    def hold(self, host: Host, student: str = "") -> None:
        """Have a host's workers wait in the middle of whatever they grade, or of this student's."""
        self.in_temporary(host, HOLD).write_text(student)

    def release(self, host: Host) -> None:
        self.in_temporary(host, HOLD).unlink()

    def started(self, host: Host) -> list[str]:
        """Whom the workers of a host began to grade."""
        file = self.in_temporary(host, STARTED)
        return file.read_text().split() if file.exists() else []

    def in_temporary(self, host: Host, name: str) -> Path:
        """A file in a host's temporary folder, seen from here."""
        return host.see(self.disk(host)) / "tmp" / name


def wait_until(happens: Callable[[], object], seconds: float = WAIT_SECONDS) -> None:
    """Raises `TimeoutError`."""
    until = time.monotonic() + seconds
    while not happens():
        if time.monotonic() > until:
            raise TimeoutError("it never happened")
        time.sleep(0.05)
