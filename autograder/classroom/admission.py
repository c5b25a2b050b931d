"""Which workers may grade: those that have answered, with the same graders, versions and walls."""

from collections.abc import Callable, Container
from concurrent.futures import CancelledError
from dataclasses import dataclass
from typing import TYPE_CHECKING

from autograder.classroom.errors import NoWalls
from autograder.classroom.worker import Tell, WorkerVersions, own_versions
from autograder.engine.assignment import UnknownAssignment
from autograder.engine.course import NoCourse
from autograder.engine.fingerprint import RunSettings
from autograder.engine.graded import describe_error

if TYPE_CHECKING:  # Dask takes a second to import
    from dask.typing import Key
    from distributed import Future

HANDSHAKE_SECONDS = 300.0  # for a worker to report its versions: a cold disk may take long
FETCH_SECONDS = 5.0  # for a result to come over, before looking whether its worker is still there


@dataclass(frozen=True)
class Handshake:
    """A worker that was asked for its versions, and when."""

    address: str
    since: float


class Admission:
    """The workers that were asked for their versions, and those that were refused."""

    def __init__(self, settings: RunSettings, ask: Callable[[str], "Future"], tell: Tell):
        """`ask` has the worker at an address report its versions."""
        self.settings = settings
        self.ask = ask
        self.tell = tell
        self.handshakes: dict[Key, Handshake] = {}  # by the future's key
        self.refused: dict[str, str] = {}  # why, by address

    def look(self, now: float, there: set[str], admitted: Container[str]) -> None:
        """Ask new ones of the workers that are there; forget those that are gone, and refuse those that
        do not answer. Raises what `ask` does.
        """
        for key, handshake in list(self.handshakes.items()):
            if handshake.address not in there:
                del self.handshakes[key]
            elif now > handshake.since + HANDSHAKE_SECONDS:
                del self.handshakes[key]
                why = f"it has not answered for {HANDSHAKE_SECONDS:.0f} seconds; start it again."
                self.refuse(handshake.address, why)
        asked = {handshake.address for handshake in self.handshakes.values()}
        for address in there - asked - self.refused.keys():
            if address not in admitted:
                self.handshakes[self.ask(address).key] = Handshake(address, now)

    def hear(self, versions: "Future[WorkerVersions]") -> str | None:
        """Return the address of a worker that may grade from now on. None where it may not, which is
        said, and where its answer is lost: then it is asked again.

        Raises `TimeoutError` where the answer does not come over.
        """
        why = why_not(versions, self.settings)
        address = self.handshakes.pop(versions.key).address
        if why:
            self.refuse(address, why)
        return address if why == "" else None

    def refuse(self, address: str, why: str) -> None:
        """Give a worker nothing to do, and say so."""
        self.refused[address] = why
        self.tell(f"The worker {address} gets nothing to do: {why}")


def why_not(versions: "Future[WorkerVersions]", settings: RunSettings) -> str | None:
    """Return why a worker may not grade that reports these versions; "" if it may, and None where
    its answer is lost.

    Raises `TimeoutError` where the answer does not come over.
    """
    if versions.status != "error":
        try:
            return _difference(versions.result(timeout=FETCH_SECONDS), own_versions(settings))
        except CancelledError:
            return None
    error = versions.exception()
    if isinstance(error, NoWalls | NoCourse | UnknownAssignment):
        return str(error)
    said = describe_error(error) if error else "it does not say why"
    return f"it cannot begin ({said}); start it in a checkout like the one here."


def _difference(found: WorkerVersions, wanted: WorkerVersions) -> str:
    """Say what a worker has in another version than this process; "" if nothing."""
    if found == wanted:
        return ""
    if found.grader != wanted.grader:
        return (
            f"its graders are another version ({found.grader} instead of {wanted.grader}); "
            "bring its checkout up to date and start it again."
        )
    return (
        "its Python or its packages are other versions than here; install what pyproject.toml "
        "names and start it again."
    )
