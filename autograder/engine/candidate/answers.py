"""Answer the examiner's questions by running operations on the submission."""

import contextlib
import io
import socket
import sys
from collections.abc import Iterator
from typing import Any

import torch

from autograder.engine.candidate.cells import Shell, run_cell
from autograder.engine.candidate.channel import Channel
from autograder.engine.candidate.faults import Unanswerable, describe_fault
from autograder.engine.candidate.frames import ChannelError
from autograder.engine.candidate.known import StandInCalls
from autograder.engine.candidate.memory import has_room
from autograder.engine.candidate.operations import Operations
from autograder.engine.candidate.walls import CHANNEL, WallSettings, enter

ROOM = 256 << 20  # bytes, more than twice of what right submissions take
FRAMES = 200  # that sending and receiving a message may need
DEEPEST = 2**31 - 1  # what Python takes as a limit


def serve(
    limits: dict[str, int],
    walls: WallSettings | None,
    shell: Shell,
    parent: socket.socket | None = None,
) -> None:
    """Build the walls around this process, then answer questions on the descriptor CHANNEL.

    Return when the examiner closes the channel. If a wall cannot be built, send the reason and
    return. `limits`, `walls`, `parent`: see `walls.enter`.
    """
    channel = Channel(socket.socket(fileno=CHANNEL))
    try:
        enter(limits, walls, parent)
    except (OSError, ValueError) as error:
        channel.send({"refused": str(error)})
        return
    channel.send({"value": "ready"})
    Server(channel, shell).serve()


class Server(Operations):
    """Answers questions from a channel by running operations on the names that `shell` defined."""

    def __init__(self, channel: Channel, shell: Shell):
        super().__init__(shell.user_ns, self._ask_to_play)
        self.channel = channel
        self.shell = shell
        self.token = ""  # of the question that is being answered
        self.operations["run"] = self.run

    def serve(self) -> None:
        """Answer questions until the examiner closes the channel."""
        while True:
            try:
                question = self.channel.receive()
            except ChannelError:
                return
            self.answer(question)

    def answer(self, question: dict) -> None:
        """Run the operations of a question in order, and send the value of the last operation.

        `question`: a dict of "steps", pairs (operation, its keyword arguments), and "token", a text
        that the answer repeats. The answer also reports the calls of stand-ins. If an operation
        raises, the answer has its fault instead of a value.
        """
        self.token = question["token"]
        self.stand_ins.handed = StandInCalls()
        try:
            with contextlib.redirect_stdout(_Discard()), contextlib.redirect_stderr(_Discard()):
                for operation, arguments in question["steps"]:
                    value = self.operations[operation](**arguments)
            self._send({"value": value} | self._handed())
        except ChannelError as error:
            self._send({"fault": describe_fault(Unanswerable("unsendable", str(error)))})
        except BaseException as error:  # SystemExit and KeyboardInterrupt are a student's, too
            self._send({"fault": describe_fault(error)} | self._handed())

    def _handed(self) -> dict:
        calls = self.stand_ins.handed.calls
        return {"handed": calls} if calls else {}

    def _send(self, message: dict) -> None:
        lacking = self.shell.lacking
        news = lacking.news()
        self.channel.send(message | {"token": self.token} | ({"lacks": news} if news else {}))
        lacking.reported.update(news)

    def run(self, cell: str, source: bytes, states: list[str] | None = None) -> dict:
        """Run the code `source` (UTF-8) of the cell with the id `cell`, then record the global names
        under each name in `states`.

        Return a dict: `outputs` (see `outputs.py`), `fault` (from `describe_fault`, or None if
        the cell ran to its end), and `has_room`: whether memory is left for other cells.
        """
        outputs, error = run_cell(self.shell, cell, source.decode())
        for state in states or ():
            self.states[state] = dict(self.names)
        fault = None if error is None else describe_fault(error)
        return {"outputs": outputs, "fault": fault, "has_room": error is None or has_room(ROOM)}

    def _ask_to_play(self, number: int, handed: list, upstream: torch.Tensor | None) -> Any:
        """Ask the examiner for the result of the played function `number`.

        With `upstream`, the gradient of the result, return a list of the arguments' gradients
        instead. Raise `Unanswerable` if the examiner refuses the call.
        """
        with _room_to_ask():
            self._send({"ask": {"played": number, "handed": handed, "upstream": upstream}})
            reply = self.channel.receive()
        if "refused" in reply:
            raise Unanswerable(reply["refused"], "played")
        return reply["computed"]


@contextlib.contextmanager
def _room_to_ask() -> Iterator[None]:
    """Within this block, allow FRAMES more levels of recursion."""
    # Otherwise an endless recursion could end in the middle of sending a message. The channel would
    # then close, and the student would read about a crash instead of the recursion.
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(min(limit + FRAMES, DEEPEST))
    try:
        yield
    finally:
        sys.setrecursionlimit(limit)


class _Discard(io.TextIOBase):
    """A text stream that discards everything a submission prints while it answers."""

    def write(self, text: str) -> int:
        return len(text)
