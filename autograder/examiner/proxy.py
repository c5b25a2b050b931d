"""The candidate at arm's length: what graders build, load, call and look at."""

import contextlib
import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import torch

from autograder.channel import ChannelError
from autograder.examiner.faults import CandidateFault
from autograder.examiner.roles import NoSuchRole, Parameter, assign
from autograder.examiner.sitting import Sitting


@dataclass(frozen=True)
class Part:
    """A stand-in that asks to be played: which one, and how the student's code built it."""

    role: str
    number: int
    built: dict[str, object]  # constructor arguments by the student's names, else by position


@dataclass(frozen=True)
class Module:
    """One module of a candidate's tree, as it describes itself."""

    name: str
    identity: int
    class_name: str
    kinds: tuple[str, ...]  # torch.nn's classes among its bases
    facts: dict[str, object]
    stand_in: str | None
    bias: bool

    def is_a(self, kind: str) -> bool:
        return kind in self.kinds


class Candidate:
    """A submission's code. Every method may raise `CandidateFault` or `Gone`."""

    def __init__(self, sitting: Sitting, aliases: Mapping[str, str]):
        self.sitting = sitting
        self.aliases = aliases
        self.players: dict[str, Callable[..., torch.Tensor]] = {}
        self.own_parts = False  # grade the student's own parts: stand-ins are left out
        self.stand_ins_used = False

    def build(self, name: str, *args, **kwargs) -> "Layer":
        """Call what the student defined as `name`."""
        question = {"name": name, "args": list(args), "kwargs": kwargs}
        return Layer(self, self.ask("build", question, about=name), name)

    def refusal(self, name: str, *args) -> str | None:
        """Return the type of the exception that building raises, or None if it raises none.

        Raises `CandidateFault` where there is nothing to build yet.
        """
        try:
            self.build(name, *args)
        except CandidateFault as error:
            if error.fault.kind != "raised":
                raise
            return error.fault.type
        return None

    @contextlib.contextmanager
    def stand_in(self, *names: str, passes: bool = False, **players: Callable) -> Iterator[None]:
        """Hide these names behind stand-ins while layers are built.

        A stand-in passes its first argument on (`passes`), or has its part played: the player is
        called with a `Part` and the arguments that it was handed, and returns a tensor.
        """
        if self.own_parts:
            yield
            return
        self.stand_ins_used = True
        self.players |= players
        self.ask("stand_in", {"roles": [*names, *players], "passes": passes})
        yield
        self.ask("restore", {})

    def begin(self, double: bool, own_parts: bool) -> None:
        """Start a check with a clean table."""
        self.own_parts, self.stand_ins_used = own_parts, False
        self.players.clear()
        self.ask("forget", {})
        self.ask("precision", {"double": double})

    def ask(self, operation: str, arguments: dict, about: str = "") -> Any:
        return self.sitting.ask(operation, arguments, player=self._play, about=about)

    def _play(self, asked: dict) -> object:
        """Compute what a stand-in asks for: a part's answer, or the gradients of what it was handed."""
        part = Part(str(asked["role"]), int(asked["number"]), dict(asked["built"]))
        player, names, values = self.players[part.role], asked["names"], list(asked["values"])
        if asked["upstream"] is None:
            with torch.no_grad():
                return _call(player, part, names, values)
        leaves = [_leaf(value) for value in values]
        with torch.enable_grad():
            (_call(player, part, names, leaves) * asked["upstream"]).sum().backward()
        return [getattr(leaf, "grad", None) for leaf in leaves]


def _call(player: Callable, part: Part, names: list[str], values: list) -> torch.Tensor:
    """Call a player by the statement's names where the student used those, else by position."""
    known = inspect.signature(player).parameters
    if not all(name in known or name.isdigit() for name in names):
        return player(part, *values)
    pairs = list(zip(names, values, strict=True))
    positional = [value for name, value in pairs if name.isdigit()]
    return player(part, *positional, **{name: value for name, value in pairs if name in known})


def _leaf(item: object) -> object:
    if isinstance(item, torch.Tensor) and item.is_floating_point():
        return item.requires_grad_()
    return item


class Layer:
    """One object that the student's code made."""

    def __init__(self, candidate: Candidate, handle: int, name: str):
        self.candidate = candidate
        self.handle = handle
        self.name = name

    def __call__(self, *args: object) -> torch.Tensor:
        """Return the tensor that the layer returns. Raises `AssertionError` if it is none."""
        return self._tensor(self._ask("call", args=list(args), echo=False))

    def echo(self, *args: object) -> tuple[torch.Tensor, list]:
        """Return the answer, and the arguments as they are after the call."""
        answer = self._ask("call", args=list(args), echo=True)
        if not (isinstance(answer, tuple) and len(answer) == 2 and isinstance(answer[1], list)):
            raise AssertionError("Does `forward` return the output, and nothing else?")
        return self._tensor(answer[0]), answer[1]

    def load_state_dict(self, state: Mapping[str, torch.Tensor]) -> None:
        """Load the reference's weights, by role. Raises `AssertionError` where a role is not there."""
        try:
            tensors = assign(state, self.parameters(), self.candidate.aliases)
        except NoSuchRole as missing:
            raise AssertionError(
                f"Which of your layers is `{missing.path}`? Does it have the statement's sizes?"
            ) from missing
        self._ask("load", tensors=tensors)

    def eval(self) -> "Layer":
        self._ask("mode", training=False)
        return self

    def train(self) -> "Layer":
        self._ask("mode", training=True)
        return self

    def gradients(self, *args: object, upstream: torch.Tensor) -> tuple[list, dict]:
        """Return the gradients of sum(upstream * output): of the arguments, of the parameters.

        A gradient is a tensor, or None where nothing arrived.
        """
        answer = self._ask("gradients", args=list(args), upstream=upstream)
        with _believing():
            arguments, parameters = list(answer["arguments"]), dict(answer["parameters"])
            if not all(_is_gradient(item) for item in (*arguments, *parameters.values())):
                raise TypeError("a gradient is a tensor or None")
        return arguments, parameters

    def replace(self, path: str, returns: torch.Tensor | None = None, passes: bool = False) -> None:
        """Put a stand-in where the submodule `path` is: it returns a tensor, or passes its input."""
        self._ask("replace", about=path, path=path, returns=returns, passes=passes)

    def record(self, path: str) -> None:
        """Remember from now on what the submodule `path` is handed, for `recorded`."""
        self._ask("record", about=path, path=path)

    def recorded(self) -> list[tuple]:
        """Return what recorded submodules were handed since the last time, call by call."""
        answer = self.candidate.ask("recorded", {})
        with _believing():
            return [tuple(call) for call in answer]

    def modules(self) -> list[Module]:
        """The module tree in order of registration, shared objects under each of their names."""
        answer = self._ask("describe")
        with _believing():
            return [_module(item) for item in answer["modules"]]

    def parameters(self) -> list[Parameter]:
        """The parameters in order of registration, shared ones under each of their names."""
        answer = self._ask("describe")
        with _believing():
            return [_parameter(item) for item in answer["parameters"]]

    def _ask(self, operation: str, about: str = "", **arguments: object) -> Any:
        question = {"handle": self.handle, **arguments}
        return self.candidate.ask(operation, question, about=about or self.name)

    def _tensor(self, answer: object) -> torch.Tensor:
        if not isinstance(answer, torch.Tensor):
            raise AssertionError("Does `forward` return the output, and nothing else?")
        return answer


def _module(item: dict) -> Module:
    return Module(
        name=str(item["name"]),
        identity=int(item["identity"]),
        class_name=str(item["class"]),
        kinds=tuple(map(str, item["kinds"])),
        facts=dict(item["facts"]),
        stand_in=item["stand_in"],
        bias=bool(item["bias"]),
    )


def _parameter(item: dict) -> Parameter:
    return Parameter(
        name=str(item["name"]),
        identity=int(item["identity"]),
        shape=tuple(map(int, item["shape"])),
        requires_grad=bool(item["requires_grad"]),
    )


def _is_gradient(item: object) -> bool:
    return item is None or isinstance(item, torch.Tensor)


@contextlib.contextmanager
def _believing() -> Iterator[None]:
    """Take an answer apart; one of another form is nonsense on the channel."""
    try:
        yield
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise ChannelError("an answer of another form") from error
