"""Submissions that a worker could not grade: another host tries, before that is believed.

A full disk makes a worker fail at once, again and again: alone it would spoil a whole class while the
others grade their first submission.
"""

from collections import Counter, deque
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from autograder.classroom.worker_news import host_of
from autograder.engine.graded import Graded
from autograder.engine.submission import Submission

MAX_FAULTS = 2  # of a worker, with submissions that another host can grade


@dataclass(frozen=True)
class FirstTry:
    """Who failed with a submission, and what came of it."""

    submission: Submission
    address: str
    graded: Graded

    @property
    def host(self) -> str:
        return host_of(self.address)


class SecondTries:
    """What has to be tried on another host, and which workers have failed where others did not."""

    def __init__(self) -> None:
        self.waiting: dict[str, deque[FirstTry]] = {}  # by host; none is empty
        self.count = 0  # of these
        self.faults: Counter[str] = Counter()  # by address

    def __len__(self) -> int:
        return self.count

    def add(self, first: FirstTry) -> None:
        """Have this tried on another host."""
        self.waiting.setdefault(first.host, deque()).append(first)
        self.count += 1

    def next_for(self, address: str) -> FirstTry | None:
        """Return what a worker at this address may try next; it stays here until it is taken."""
        here = host_of(address)
        return next((tries[0] for host, tries in self.waiting.items() if host != here), None)

    def take(self, first: FirstTry) -> None:
        """Another host tries it now."""
        tries = self.waiting[first.host]
        tries.remove(first)
        self.count -= 1
        if not tries:
            del self.waiting[first.host]

    def take_those_left(self, hosts: Collection[str]) -> Iterator[FirstTry]:
        """Yield what no other one of these hosts can try, since there is none; it is tried no more."""
        for host in list(self.waiting):
            if not are_elsewhere(host, hosts):
                left = self.waiting.pop(host)
                self.count -= len(left)
                yield from left

    def is_at_fault(self, first: FirstTry) -> bool:
        """Whether this, which another host has graded now, is one too many for who failed with it."""
        self.faults[first.address] += 1
        return self.faults[first.address] == MAX_FAULTS


def are_elsewhere(host: str, hosts: Collection[str]) -> bool:
    """Whether there are others than this one among the hosts."""
    return len(hosts) > (host in hosts)
