"""Ctrl-C that is not lost: what Python raises while it cleans up an object, it drops."""

import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def remembered() -> Iterator[Callable[[], None]]:
    """Give a function that raises `KeyboardInterrupt` if Ctrl-C was pressed within the block."""
    pressed: list[int] = []

    def press(number: int, _: object) -> None:
        pressed.append(number)
        raise KeyboardInterrupt

    def heed() -> None:
        if pressed:
            raise KeyboardInterrupt

    def complain(dropped: "sys.UnraisableHookArgs") -> None:
        if not issubclass(dropped.exc_type, KeyboardInterrupt):  # which is remembered
            complain_before(dropped)

    before, complain_before = signal.getsignal(signal.SIGINT), sys.unraisablehook
    ours = threading.current_thread() is threading.main_thread()
    if not ours or before is not signal.default_int_handler:  # or somebody else's to answer
        yield heed
        return
    signal.signal(signal.SIGINT, press)
    sys.unraisablehook = complain
    try:
        yield heed
    finally:
        signal.signal(signal.SIGINT, before)
        sys.unraisablehook = complain_before
