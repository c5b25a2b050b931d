"""Limit the time of a search for mistakes.

Points do not depend on it. A search that exceeds the limit names no mistake.
"""

import math
import time


class OutOfTime(BaseException):
    """The search for mistakes exceeds its time limit."""

    # A `BaseException`, so that the code of a mutant does not catch it.


class CpuBudget:
    """A limit on the CPU time of this thread, which does not depend on other processes.

    The limit ends `seconds` after the object is made. The search calls `check`, which then raises
    `OutOfTime`.
    """

    def __init__(self, seconds: float = math.inf):
        self.end = time.thread_time() + seconds

    def check(self) -> None:
        """Raise `OutOfTime` if the time is used up."""
        if time.thread_time() >= self.end:
            raise OutOfTime
