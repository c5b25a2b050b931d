"""Handle requests to stop: Ctrl-C, and SIGTERM, which service managers send.

Python drops an exception that is raised while it deletes an object (`__del__`), and so could lose a
Ctrl-C. In a loop that calls `raise_if_asked`, the signal handler therefore only notes the request.
"""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager


class StopRequest:
    """A request to stop this process.

    After `defer`, the first signal is only noted, in `asked`; any further one raises
    `KeyboardInterrupt`. Before `defer`, every signal does.
    """

    def __init__(self) -> None:
        self.asked = False
        self.is_deferred = False

    def defer(self) -> None:
        """From now on, only note the first signal."""
        self.is_deferred = True

    def raise_if_asked(self) -> None:
        """Raise `KeyboardInterrupt` if a signal was noted."""
        if self.asked:
            raise KeyboardInterrupt

    def note(self, number: int, _: object) -> None:
        """Handle a signal: note it, or raise `KeyboardInterrupt`."""
        at_once = self.asked or not self.is_deferred
        self.asked = True
        if at_once:
            raise KeyboardInterrupt


@contextmanager
def stop_requests() -> Iterator[StopRequest]:
    """Handle Ctrl-C and SIGTERM within the block; yield the request.

    Outside the main thread, signals cannot be handled: nothing is done.
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
