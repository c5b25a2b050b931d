"""Receive the examiner's questions, run their operations on the submission, and send the answers."""

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
    """Build the walls around this process, then answer the examiner's questions on the descriptor
    CHANNEL until the examiner closes it. If a wall cannot be built, send the reason and return.

    `limits`, `walls`, `parent`: the arguments of `walls.enter`; `shell`: what runs the cells.
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
    """Receives questions over a channel, runs their operations on what the cells in `shell`
    defined, and sends the answers.
    """

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
        """Run the operations of a question in order; send the value of the last one, with a report
        of the stand-ins that were called. If an operation raises, send its fault instead.

        `question` is a dict: "steps" lists pairs (operation, its keyword arguments), "token" is a
        text that the answer repeats.
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
        """Run the cell with the id `cell`, whose code is `source` in UTF-8; record the global names
        as these `states`. Return a dict: `outputs`, what the cell put out; `fault`, the exception
        that ended it as `describe_fault` describes it, or None if it ran to its end; and `has_room`,
        whether there is memory left for other cells.
        """
        outputs, error = run_cell(self.shell, cell, source.decode())
        for state in states or ():
            self.states[state] = dict(self.names)
        fault = None if error is None else describe_fault(error)
        return {"outputs": outputs, "fault": fault, "has_room": error is None or has_room(ROOM)}

    def _ask_to_play(self, number: int, handed: list, upstream: torch.Tensor | None) -> Any:
        """Return what the examiner computes for a call of the played function `number` with the
        arguments `handed`: its result or, with `upstream` (the gradient of that result), a list of
        the arguments' gradients. Raise `Unanswerable` if the examiner refuses the call.
        """
        with _room_to_ask():
            self._send({"ask": {"played": number, "handed": handed, "upstream": upstream}})
            reply = self.channel.receive()
        if "refused" in reply:
            raise Unanswerable(reply["refused"], "played")
        return reply["computed"]


@contextlib.contextmanager
def _room_to_ask() -> Iterator[None]:
    """Within this block, allow FRAMES more levels of recursion.

    Otherwise an endless recursion could end in the middle of sending a message. The channel would
    then close, and the student would be told of a crash instead of the recursion.
    """
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(min(limit + FRAMES, DEEPEST))
    try:
        yield
    finally:
        sys.setrecursionlimit(limit)


class _Discard(io.TextIOBase):
    """A text stream that discards what a submission prints while it answers."""

    def write(self, text: str) -> int:
        return len(text)
