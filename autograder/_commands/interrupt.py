"""Handle requests to stop: Ctrl-C, and SIGTERM, which service managers send.

Python drops an exception that is raised while it deletes an object (`__del__`, a weak reference's
callback), and so could lose a Ctrl-C. In a loop that calls `raise_if_asked`, the signal handler
therefore only notes the request. What Python prints of the dropped exception is no news to the user.
"""

import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager


class StopRequest:
    """A user's request to stop this process, by a signal.

    Before `defer` is called, every signal raises `KeyboardInterrupt`. After it, the first signal
    only sets `asked`, and each further one raises `KeyboardInterrupt`.
    """

    def __init__(self) -> None:
        self.asked = False
        self.is_deferred = False

    def defer(self) -> None:
        """From now on, let the first signal set `asked` instead of raising."""
        self.is_deferred = True

    def raise_if_asked(self) -> None:
        """Raise `KeyboardInterrupt` if a signal has set `asked`."""
        if self.asked:
            raise KeyboardInterrupt

    def note(self, number: int, _: object) -> None:
        """Handle a signal, as Python calls a handler: set `asked`, and raise `KeyboardInterrupt`
        unless this is the first signal after `defer`.
        """
        at_once = self.asked or not self.is_deferred
        self.asked = True
        if at_once:
            raise KeyboardInterrupt


@contextmanager
def stop_requests() -> Iterator[StopRequest]:
    """Handle Ctrl-C and SIGTERM within the block; yield the object that tells whether one came.

    Outside the main thread, where signals cannot be handled, nothing is changed.
    """
    request = StopRequest()
    if threading.current_thread() is not threading.main_thread():  # signals are another thread's
        yield request
        return
    numbers = signal.SIGINT, signal.SIGTERM
    heard = [one for one in numbers if signal.getsignal(one) is not signal.SIG_IGN]
    before = {one: signal.signal(one, request.note) for one in heard}
    report_dropped = sys.unraisablehook
    sys.unraisablehook = lambda dropped: (
        None if dropped.exc_type is KeyboardInterrupt else report_dropped(dropped)
    )
    try:
        yield request
    finally:
        sys.unraisablehook = report_dropped
        for number, handler in before.items():
            signal.signal(number, handler)
