"""What is said about workers that come and go: one sentence for all of one look at the cluster."""

from collections.abc import Collection

from autograder.classroom.worker import Tell
from autograder.wording import plural

MOST_NAMED = 3  # hosts in one sentence


class WorkerNews:
    """Says which workers have joined and which are lost, and where they were."""

    def __init__(self, tell: Tell):
        self.tell = tell
        self.joined: list[str] = []  # addresses
        self.lost: list[str] = []

    def say(self, working: int) -> None:
        """Say what has changed since it was last said; now so many are `working`."""
        joined, lost = self.joined, self.lost
        self.joined, self.lost = [], []
        if lost:
            had = "what it had" if len(lost) == 1 else "what they had"
            goes = f"goes to the other {working}" if working > 1 else "waits for another one"
            goes = "goes to the other one" if working == 1 else goes
            self.tell(
                f"Lost {plural(len(lost), 'worker')} ({_hosts(lost)}): {had} not finished {goes}."
            )
        if joined:
            come = "worker joins from" if len(joined) == 1 else "workers join from"
            self.tell(f"{len(joined)} {come} {_hosts(joined)}: {working} in all.")


def host_of(address: str) -> str:
    """`tls://127.0.0.1:4321` -> `tls://127.0.0.1`"""
    return address.rpartition(":")[0]


def _hosts(addresses: Collection[str]) -> str:
    """`10.0.0.2, 10.0.0.3 and 4 more`"""
    hosts = sorted({host_of(address).rpartition("/")[2] for address in addresses})
    named, rest = hosts[:MOST_NAMED], len(hosts) - MOST_NAMED
    return ", ".join(named) + (f" and {rest} more" if rest > 0 else "")
