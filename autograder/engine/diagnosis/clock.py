"""How long a search may take. It has no part in points: when its time is up, it names nothing."""

import math
import time


class OutOfTime(BaseException):
    """The search takes too long. Nothing that a mutant's code catches."""


class Clock:
    """Counts the CPU of this thread: what a search finds does not depend on what else runs here.

    `deadline`, in `time.monotonic()` seconds, is for a machine on which hardly anything runs any more.
    """

    def __init__(self, seconds: float = math.inf, deadline: float = math.inf):
        self.end, self.deadline = time.thread_time() + seconds, deadline
        # a thread has no more CPU than time passes
        self.next_look = min(time.monotonic() + seconds, deadline)

    def check(self) -> None:
        """Raise `OutOfTime` if the time is up. To ask for the CPU each time would cost more of it."""
        now = time.monotonic()
        if now < self.next_look:
            return
        left = self.end - time.thread_time()
        if left <= 0 or now >= self.deadline:
            raise OutOfTime
        self.next_look = min(now + left, self.deadline)
