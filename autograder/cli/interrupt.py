"""Requests to stop: Ctrl-C, or as a service manager ends a program (SIGTERM).

Python drops an exception that is raised while it cleans up an object, and so a Ctrl-C that comes then:
while there is a loop that asks, a request is only noted.
"""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager


class StopRequest:
    """Whether somebody asked this process to stop.

    Until `wait_for_it` is called, and from the second time on, it stops at once: `KeyboardInterrupt`.
    """

    def __init__(self) -> None:
        self.asked = False
        self.is_waited_for = False

    def wait_for_it(self) -> None:
        """From now on, let the first request only be noted."""
        self.is_waited_for = True

    def raise_if_asked(self) -> None:
        """Raise `KeyboardInterrupt` if somebody asked."""
        if self.asked:
            raise KeyboardInterrupt

    def note(self, number: int, _: object) -> None:
        """Take a signal."""
        at_once = self.asked or not self.is_waited_for
        self.asked = True
        if at_once:
            raise KeyboardInterrupt


@contextmanager
def stop_requests() -> Iterator[StopRequest]:
    """Note Ctrl-C and SIGTERM within the block."""
    request = StopRequest()
    if threading.current_thread() is not threading.main_thread():  # signals are another thread's
        yield request
        return
    numbers = signal.SIGINT, signal.SIGTERM
    heard = [one for one in numbers if signal.getsignal(one) is not signal.SIG_IGN]
    before = {one: signal.signal(one, request.note) for one in heard}
    try:
        yield request
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
