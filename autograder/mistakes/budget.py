"""The time limit of a search for mistakes. Points do not depend on it: when it is exceeded, no
mistake is named.
"""

import math
import time


class OutOfTime(BaseException):
    """The search for mistakes exceeds its time limit. It is a `BaseException`, so that the code of
    a mutant does not catch it.
    """


class CpuBudget:
    """A limit on the CPU time of this thread, so that a search does not depend on what else runs.
    It begins when the object is made and ends `seconds` later; the search calls `check`, which then
    raises `OutOfTime`.
    """

    def __init__(self, seconds: float = math.inf):
        self.end = time.thread_time() + seconds

    def check(self) -> None:
        """Raise `OutOfTime` if the time is used up."""
        if time.thread_time() >= self.end:
            raise OutOfTime
