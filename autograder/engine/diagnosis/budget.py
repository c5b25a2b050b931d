"""The time limit of a search for mistakes. Points do not depend on it: past it, no mistake is
named.
"""

import math
import time


class OutOfTime(BaseException):
    """The search exceeds its time limit. A `BaseException`, which no code of a mutant catches."""


class CpuBudget:
    """Counts the CPU time of this thread, so that a search does not depend on what else runs."""

    def __init__(self, seconds: float = math.inf):
        self.end = time.thread_time() + seconds
        self.next_look = time.monotonic() + seconds  # a thread has no more CPU than time passes

    def check(self) -> None:
        """Raise `OutOfTime` if the time is used up.

        The CPU time is read only when it may be: reading it costs time, too.
        """
        now = time.monotonic()
        if now < self.next_look:
            return
        left = self.end - time.thread_time()
        if left <= 0:
            raise OutOfTime
        self.next_look = now + left
