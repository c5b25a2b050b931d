"""How long a search may take. It has no part in points: when its time is up, it names nothing."""

import math
import time


class OutOfTime(BaseException):
    """The search takes too long. Nothing that a mutant's code catches."""


class CpuBudget:
    """Counts the CPU of this thread: what a search finds does not depend on what else runs here."""

    def __init__(self, seconds: float = math.inf):
        self.end = time.thread_time() + seconds
        self.next_look = time.monotonic() + seconds  # a thread has no more CPU than time passes

    def check(self) -> None:
        """Raise `OutOfTime` if the time is up. To ask for the CPU each time would cost more of it."""
        now = time.monotonic()
        if now < self.next_look:
            return
        left = self.end - time.thread_time()
        if left <= 0:
            raise OutOfTime
        self.next_look = now + left
