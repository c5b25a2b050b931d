"""How long those who wait will wait, by the pace of the last verdicts; and work now and then."""

import math
import time
from collections import deque
from collections.abc import Callable

from autograder.wording import plural

WINDOW = 200  # verdicts by which the pace is measured
ENOUGH = 5  # verdicts, before anything is said
LARGEST_SHARE = 0.05  # of all time, for what is done now and then


class Pace:
    """Seconds between two verdicts, while others wait.

    What passes while nobody waits is no measure of the workers, and neither is the time until the
    first verdict: they were still being started. All times are in seconds.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic):
        self.clock = clock
        self.gaps: deque[float] = deque(maxlen=WINDOW)
        self.since: float | None = None  # the last verdict, if others have waited ever since

    def note(self, verdicts: int, waiting: int) -> None:
        """Note that so many verdicts have come together, 0 for none, and how many wait now."""
        now = self.clock()
        if verdicts:
            if self.since is not None:
                self.gaps.extend([(now - self.since) / verdicts] * verdicts)
            self.since = now
        if not waiting:
            self.since = None

    def seconds(self, verdicts: int) -> float | None:
        """Return how long so many will probably take; None while too few have come to say it."""
        if len(self.gaps) < ENOUGH:
            return None
        mean = sum(self.gaps) / len(self.gaps)
        if self.since is not None and (silent := self.clock() - self.since) > mean:
            mean = (sum(self.gaps) + silent) / (len(self.gaps) + 1)
        return verdicts * mean


def queue_words(waiting: int, being_graded: int, pace: Pace) -> str:
    """Return how many wait and for how long: until the last one of them has a verdict."""
    if not waiting:
        return f"{being_graded} being graded, nobody waits" if being_graded else "nobody waits"
    seconds = pace.seconds(waiting + being_graded)
    about = "no estimate yet" if seconds is None else duration_words(seconds)
    return f"{waiting} {'waits' if waiting == 1 else 'wait'}: {about}"


def duration_words(seconds: float) -> str:
    """Return a time that is only estimated, never more exact than it can be, and rounded up."""
    minutes = math.ceil(seconds / 60)
    if minutes <= 1:
        return "about a minute"
    if minutes <= 10:
        return f"about {minutes} minutes"
    if minutes <= 55:
        return f"about {5 * math.ceil(minutes / 5)} minutes"
    halves = math.ceil(minutes / 30)
    hours = plural(halves // 2, "hour") if halves % 2 == 0 else f"{halves // 2}½ hours"
    return f"about {hours}"


class NowAndThen:
    """Work that is done again and again, and takes no more than a small share of all time."""

    def __init__(
        self,
        work: Callable[[], object],
        seconds: float,
        clock: Callable[[], float] = time.monotonic,
    ):
        """`seconds`: between the end of one time and the next, at least."""
        self.work = work
        self.seconds = seconds
        self.clock = clock
        self.next = -math.inf

    def do_if_due(self) -> None:
        """Do it, if it was done long enough ago. What it raises is raised; then it is due later."""
        begin = self.clock()
        if begin < self.next:
            return
        try:
            self.work()
        finally:
            end = self.clock()
            self.next = end + max(self.seconds, (end - begin) / LARGEST_SHARE)
