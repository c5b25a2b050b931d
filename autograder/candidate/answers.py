"""Answer the examiner's questions about the submission, one after another."""

import contextlib
import io
import socket
from typing import Any

import torch

from autograder.candidate.cells import Shell, run_cell
from autograder.candidate.faults import Unanswerable, describe_fault
from autograder.candidate.operations import Operations
from autograder.candidate.stand_in import StandIn
from autograder.candidate.walls import CHANNEL, enter
from autograder.channel import Channel, ChannelError


def serve(limits: dict[str, int], program: bytes | None, shell: Shell) -> None:
    """Be a candidate on the descriptor CHANNEL until the examiner closes it.

    Without a seccomp program there are no walls: for practice.
    """
    channel = Channel(socket.socket(fileno=CHANNEL))
    try:
        enter(limits, program)
    except (OSError, ValueError) as error:
        channel.send({"refused": str(error)})
        return
    channel.send({"value": "ready"})
    Desk(channel, shell).serve()


class Desk(Operations):
    """Where questions arrive, and where the cells are run."""

    def __init__(self, channel: Channel, shell: Shell):
        super().__init__(shell.user_ns, self._ask)
        self.channel = channel
        self.shell = shell
        self.token = ""  # of the question that is being answered
        self.operations["run"] = self.run

    def serve(self) -> None:
        """Answer until the examiner closes the channel."""
        while True:
            try:
                question = self.channel.receive()
            except ChannelError:
                return
            self.answer(question)

    def answer(self, question: dict) -> None:
        """Take its steps; send the value of the last one."""
        self.token = question["token"]
        try:
            with contextlib.redirect_stdout(_Nowhere()), contextlib.redirect_stderr(_Nowhere()):
                for operation, arguments in question["steps"]:
                    value = self.operations[operation](**arguments)
            self._send({"value": value})
        except ChannelError as error:
            self._send({"fault": describe_fault(Unanswerable("unsendable", str(error)))})
        except BaseException as error:  # SystemExit and KeyboardInterrupt are a student's, too
            self._send({"fault": describe_fault(error)})

    def _send(self, message: dict) -> None:
        self.channel.send(message | {"token": self.token})

    def run(self, cell: str, source: bytes) -> dict:
        outputs, error = run_cell(self.shell, cell, source.decode())
        return {"outputs": outputs, "fault": None if error is None else describe_fault(error)}

    def _ask(self, stand_in: StandIn, handed: list, upstream: torch.Tensor | None) -> Any:
        """Let the examiner play a part: its answer or, with `upstream`, the gradients of `handed`."""
        role, number = stand_in.role, stand_in.number
        part = {"role": role.name, "scene": role.scene, "number": number, "built": stand_in.built}
        self._send({"ask": part | {"handed": handed, "upstream": upstream}})
        reply = self.channel.receive()
        if "refused" in reply:
            raise Unanswerable("refused", role.name)
        return reply["played"]


class _Nowhere(io.TextIOBase):
    """Takes what a submission prints while it is asked."""

    def write(self, text: str) -> int:
        return len(text)
