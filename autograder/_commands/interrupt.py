"""Handle requests to stop: Ctrl-C, and SIGTERM from service managers.

Python drops an exception that is raised while it deletes an object (`__del__`, a weak reference's
callback), and so could lose a Ctrl-C. In a loop that calls `raise_if_asked`, the signal handler
therefore only records the request. Python's message on the dropped exception is suppressed.
"""

import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager


class StopRequest:
    """A user's request to stop this process, by a signal.

    Before `defer` is called, every signal raises `KeyboardInterrupt`. After it, the first signal
    only sets `asked`, and each further signal raises `KeyboardInterrupt`.
    """

    def __init__(self) -> None:
        self.asked = False
        self.is_deferred = False

    def defer(self) -> None:
        """Let the first signal set `asked` instead of raising."""
        self.is_deferred = True

    def raise_if_asked(self) -> None:
        """Raise `KeyboardInterrupt` if a signal has set `asked`."""
        if self.asked:
            raise KeyboardInterrupt

    def note(self, number: int, _: object) -> None:
        """Handle a signal. Only the first one after `defer` does not raise."""
        at_once = self.asked or not self.is_deferred
        self.asked = True
        if at_once:
            raise KeyboardInterrupt


@contextmanager
def stop_requests() -> Iterator[StopRequest]:
    """Handle Ctrl-C and SIGTERM within the block, in the main thread, and yield the request."""
    request = StopRequest()
    # only the main thread gets signals
    if threading.current_thread() is not threading.main_thread():
        yield request
        return
    numbers = signal.SIGINT, signal.SIGTERM
    handled = [number for number in numbers if signal.getsignal(number) is not signal.SIG_IGN]
    handlers = {number: signal.signal(number, request.note) for number in handled}
    report_dropped = sys.unraisablehook
    sys.unraisablehook = lambda dropped: (
        None if dropped.exc_type is KeyboardInterrupt else report_dropped(dropped)
    )
    try:
        yield request
    finally:
        sys.unraisablehook = report_dropped
        for number, handler in handlers.items():
            signal.signal(number, handler)
