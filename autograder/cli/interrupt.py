"""Requests to stop: Ctrl-C, or SIGTERM, with which a service manager ends a program.

Python drops an exception that is raised while it deletes an object (`__del__`), and so a Ctrl-C that
comes then. Where a loop asks `raise_if_asked`, the signal handler only notes the request.
"""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager


class StopRequest:
    """Whether somebody asked this process to stop.

    After `defer`, the first signal is only noted, in `asked`. Every other signal, before it or after the
    first, raises `KeyboardInterrupt` at once.
    """

    def __init__(self) -> None:
        self.asked = False
        self.is_deferred = False

    def defer(self) -> None:
        """From now on, only note the first signal."""
        self.is_deferred = True

    def raise_if_asked(self) -> None:
        """Raise `KeyboardInterrupt` if somebody asked."""
        if self.asked:
            raise KeyboardInterrupt

    def note(self, number: int, _: object) -> None:
        """Handle a signal. Raises `KeyboardInterrupt`, or only notes it."""
        at_once = self.asked or not self.is_deferred
        self.asked = True
        if at_once:
            raise KeyboardInterrupt


@contextmanager
def stop_requests() -> Iterator[StopRequest]:
    """Handle Ctrl-C and SIGTERM within the block; yield what is asked. In another thread than the main one
    no signal can be handled, and nothing is.
    """
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
