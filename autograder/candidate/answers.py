"""Answer the examiner's questions about the submission, one after another."""

import contextlib
import io
import socket
from collections.abc import Callable
from typing import Any

import torch
from torch import nn

from autograder.candidate.cells import Shell, run_cell
from autograder.candidate.describe import describe_modules, describe_parameters
from autograder.candidate.faults import Unanswerable, describe_fault
from autograder.candidate.stand_in import Cast, Role, StandIn
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


class Desk:
    """Where questions arrive. Every method below `serve` is one operation of the examiner's."""

    def __init__(self, channel: Channel, shell: Shell):
        self.channel = channel
        self.shell = shell
        self.names: dict = shell.user_ns
        self.cast = Cast(self.names, self._ask)
        self.objects: list = []
        self.calls: list[tuple] = []  # what recorded submodules were handed
        self.token = ""  # of the question that is being answered
        self.operations: dict[str, Callable] = {
            operation.__name__: operation
            for operation in (
                *(self.run, self.build, self.refusals, self.call, self.modules, self.parameters),
                *(self.load, self.mode, self.precision, self.gradients, self.stand_in),
                *(self.replace, self.record, self.recorded, self.forget),
            )
        }

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

    def build(self, name: str, args: list, kwargs: dict) -> tuple[int, list | None, bool]:
        """Call what the student defined as `name`.

        Return the object's number, its parameters if it has such, and whether a stand-in is in it.
        """
        made = self._make(name, args, kwargs)
        self.objects.append(made)
        if not isinstance(made, nn.Module):
            return len(self.objects) - 1, None, False
        played = any(isinstance(part, StandIn) for part in made.modules())
        return len(self.objects) - 1, describe_parameters(made), played

    def refusals(self, name: str, calls: list[list]) -> list[str | None]:
        """Build with each of these arguments; return the types of the exceptions, None for none."""
        types: list[str | None] = []
        for args in calls:
            try:
                self._make(name, args, {})
                types.append(None)
            except BaseException as error:
                fault = describe_fault(error)
                if fault["kind"] != "raised":
                    raise
                types.append(fault["type"])
        return types

    def _make(self, name: str, args: list, kwargs: dict) -> object:
        if name not in self.names:
            raise Unanswerable("missing", name)
        return self.names[name](*args, **kwargs)  # type: ignore[operator]

    def call(self, handle: int, calls: list[list], echo: bool) -> list:
        """Call an object with each of these arguments; return the answers.

        With `echo`, an answer is (answer, arguments as they are afterwards).
        """
        made = self.objects[handle]
        with torch.no_grad():
            answers = [made(*args) for args in calls]
        return list(zip(answers, calls, strict=True)) if echo else answers

    def modules(self, handle: int) -> list[dict]:
        return describe_modules(self._module(handle))

    def parameters(self, handle: int) -> list[list]:
        return describe_parameters(self._module(handle))

    def load(self, handle: int, tensors: dict) -> None:
        parameters = dict(self._module(handle).named_parameters(remove_duplicate=False))
        with torch.no_grad():
            for name, tensor in tensors.items():
                parameters[name].copy_(tensor.reshape(parameters[name].shape))

    def mode(self, handle: int, training: bool) -> None:
        self._module(handle).train(training)

    def precision(self, double: bool) -> None:
        torch.set_default_dtype(torch.float64 if double else torch.float32)

    def gradients(self, handle: int, args: list, upstream: torch.Tensor) -> dict:
        """Return the gradients of sum(upstream * answer) for floating arguments and what learns."""
        module = self._module(handle)
        module.zero_grad()
        args = [_wants_gradient(arg) for arg in args]
        with torch.enable_grad():
            answer = module(*args)
            answer = answer[0] if isinstance(answer, tuple | list) else answer
            (answer * upstream).sum().backward()
        learned = {n: p for n, p in module.named_parameters() if p.requires_grad}
        return {
            "arguments": [getattr(arg, "grad", None) for arg in args],
            "parameters": {name: parameter.grad for name, parameter in learned.items()},
        }

    def replace(self, handle: int, path: str, returns: torch.Tensor | None, passes: bool) -> None:
        """Put a stand-in where the submodule `path` is."""
        parent, _, name = path.rpartition(".")
        owner = self._member(handle, parent)
        self._member(handle, path)  # there has to be one
        stand_in = self.cast.make(Role(path, [], []), None, passes, returns)()
        setattr(owner, name, stand_in) if hasattr(owner, name) else owner.add_module(name, stand_in)

    def record(self, handle: int, path: str) -> None:
        """Remember from now on what the submodule `path` is handed."""

        def remember(_: nn.Module, args: tuple, kwargs: dict) -> None:
            self.calls.append(tuple(args) + tuple(kwargs.values()))

        self._member(handle, path).register_forward_pre_hook(remember, with_kwargs=True)

    def recorded(self) -> list[tuple]:
        calls, self.calls = self.calls, []
        return calls

    def stand_in(self, roles: list, passes: bool, returns: dict[str, torch.Tensor]) -> None:
        """Hide the student's definitions of these roles behind stand-ins, until `forget`."""
        for role in roles:
            self.cast.hide(Role(**role), passes, returns.get(role["name"]))

    def forget(self) -> None:
        """Drop the objects of the last check and undo what it set."""
        self.objects.clear()
        self.calls.clear()
        self.cast.restore()

    def _ask(self, stand_in: StandIn, handed: list, upstream: torch.Tensor | None) -> Any:
        """Let the examiner play a part: its answer or, with `upstream`, the gradients of `handed`."""
        role, number = stand_in.role, stand_in.number
        part = {"role": role.name, "scene": role.scene, "number": number, "built": stand_in.built}
        self._send({"ask": part | {"handed": handed, "upstream": upstream}})
        reply = self.channel.receive()
        if "refused" in reply:
            raise Unanswerable("refused", role.name)
        return reply["played"]

    def _module(self, handle: int) -> nn.Module:
        module = self.objects[handle]
        if not isinstance(module, nn.Module):
            raise Unanswerable("no_module", type(module).__name__)
        return module

    def _member(self, handle: int, path: str) -> nn.Module:
        try:
            return self._module(handle).get_submodule(path)
        except AttributeError as error:
            raise Unanswerable("no_member", path) from error


class _Nowhere(io.TextIOBase):
    """Takes what a submission prints while it is asked."""

    def write(self, text: str) -> int:
        return len(text)


def _wants_gradient(arg: object) -> object:
    if isinstance(arg, torch.Tensor) and arg.is_floating_point():
        return arg.requires_grad_()
    return arg
