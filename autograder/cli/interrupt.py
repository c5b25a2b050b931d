"""Ctrl-C that is not lost: Python drops an exception that is raised while it cleans up an object."""

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
