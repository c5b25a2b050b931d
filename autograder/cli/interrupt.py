"""Ctrl-C that is not lost: Python drops an exception that is raised while it cleans up an object.

And requests to stop that are noted, so that what was begun can be finished.
"""

import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def remember_ctrl_c() -> Iterator[Callable[[], None]]:
    """Give a function that raises `KeyboardInterrupt` if Ctrl-C was pressed within the block."""
    pressed: list[int] = []

    def on_ctrl_c(number: int, _: object) -> None:
        pressed.append(number)
        raise KeyboardInterrupt

    def raise_if_pressed() -> None:
        if pressed:
            raise KeyboardInterrupt

    def on_dropped_exception(dropped: "sys.UnraisableHookArgs") -> None:
        if not issubclass(dropped.exc_type, KeyboardInterrupt):  # which is remembered
            hook_before(dropped)

    handler_before, hook_before = signal.getsignal(signal.SIGINT), sys.unraisablehook
    in_main_thread = threading.current_thread() is threading.main_thread()
    if not in_main_thread or handler_before is not signal.default_int_handler:  # of another program
        yield raise_if_pressed
        return
    signal.signal(signal.SIGINT, on_ctrl_c)
    sys.unraisablehook = on_dropped_exception
    try:
        yield raise_if_pressed
    finally:
        signal.signal(signal.SIGINT, handler_before)
        sys.unraisablehook = hook_before


class StopRequest:
    """Whether somebody asked this process to stop, by Ctrl-C or by ending it as a service manager does.

    Until `wait_for_it` is called, and from the second time on, it stops at once: `KeyboardInterrupt`.
    """

    def __init__(self) -> None:
        self.asked = False
        self.is_waited_for = False

    def wait_for_it(self) -> None:
        """From now on, let the first request only be noted."""
        self.is_waited_for = True

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
    before = {one: signal.signal(one, request.note) for one in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield request
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
