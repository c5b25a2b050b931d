"""The socket between examiner and candidate, with a deadline on each message."""

import math
import socket
import time
from collections.abc import Callable
from typing import Any

from autograder.engine.candidate.frames import (
    MAX_BODY,
    MAX_HEAD,
    SIZES,
    ChannelError,
    decode,
    encode,
)

MIN_CHUNK, MAX_CHUNK = 1 << 16, 1 << 20  # bytes asked for at once


class ChannelClosed(ChannelError):
    """The other side closed the channel."""


class DeadlinePassed(ChannelError):
    """The deadline passed before a whole frame was received or sent."""


Deadline = Callable[[], float]  # returns the seconds that are left


def forever() -> float:
    """Return infinity: the seconds that are left until a deadline that never passes."""
    return math.inf


def within(seconds: float) -> Deadline:
    """Return a deadline that passes `seconds` from now."""
    end = time.monotonic() + seconds
    return lambda: end - time.monotonic()


class Channel:
    """Sends and receives messages in frames over a connected stream socket."""

    def __init__(self, sock: socket.socket):
        self.sock = sock
        self.arrived = bytearray()  # received, and not yet read

    def close(self) -> None:
        """Close the socket."""
        self.sock.close()

    def send(self, message: dict, deadline: Deadline = forever) -> None:
        """Send a dict of plain values, tensors and bytes, nested in lists, tuples and dicts.

        Raise `Unsendable` if a value has another type, `ChannelError` if the frame is too large,
        `ChannelClosed` if the other side has closed, `DeadlinePassed` if time runs out.
        """
        unsent = memoryview(encode(message))
        while unsent:
            unsent = unsent[self._by(deadline, self.sock.send, unsent) :]

    def receive(self, deadline: Deadline = forever, most: int = MAX_BODY) -> dict:
        """Wait for the next message and return it.

        `most`: the largest body in bytes. Raise `ChannelError` if the frame is invalid or too large,
        `ChannelClosed` if the other side has closed, `DeadlinePassed` if time runs out.
        """
        head_size, body_size = SIZES.unpack(self._read(SIZES.size, deadline))
        if head_size > MAX_HEAD or body_size > most:  # before a byte of it is allocated
            raise ChannelError(f"a frame of {head_size} + {body_size} bytes is over the cap")
        head = self._read(head_size, deadline)
        return decode(head, self._read(body_size, deadline))

    def _read(self, size: int, deadline: Deadline) -> bytes:
        while (missing := size - len(self.arrived)) > 0:
            chunk_size = min(max(missing, MIN_CHUNK), MAX_CHUNK)
            if not (chunk := self._by(deadline, self.sock.recv, chunk_size)):
                raise ChannelClosed("the other side closed the channel")
            self.arrived += chunk
        data = bytes(self.arrived[:size])
        del self.arrived[:size]
        return data

    def _by(self, deadline: Deadline, call: Callable, argument: object) -> Any:
        """Return `call(argument)`, where `call` is a method of the socket. After a timeout, call it
        again until the deadline passes.
        """
        while (seconds := deadline()) > 0:
            try:
                self.sock.settimeout(None if seconds == math.inf else seconds)
                return call(argument)
            except TimeoutError:
                continue
            except OSError as error:
                raise ChannelClosed(str(error)) from error
        raise DeadlinePassed("the deadline passed")
