"""One object that the student's code made, in the other process: load, call, look at it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import torch

from autograder.engine.candidate.tensors import floats
from autograder.engine.examiner.descriptions import (
    Module,
    few,
    parsing_untrusted,
    read_module,
    read_parameter,
)
from autograder.engine.examiner.faults import RETURNS, CandidateFault
from autograder.engine.examiner.handed import Handle
from autograder.engine.examiner.roles import NoSuchRole, Parameter, assign

MAX_SEVERAL = 10  # things that a part returns


class Asker(Protocol):
    """What a layer needs of the candidate that made it."""

    aliases: Mapping[str, str]  # what students call the reference's layers, as patterns
    several: dict[str, int]  # by name, where an answer came with others: how many these were

    def ask(self, operation: str, arguments: dict, about: str = "") -> Any:
        """Put one question. Raises `CandidateFault`, `CandidateLost`."""

    def library_calls(self, call: dict, about: str = "") -> frozenset[str]:
        """Ask what a call comes down to."""

    def prepare(self, operation: str, arguments: dict) -> None:
        """Have this done before the next question, in the same message."""


@dataclass(frozen=True)
class Gradients:
    """What arrived at the floating arguments and at the parameters: tensors, or None for nothing."""

    arguments: list[torch.Tensor | None]
    parameters: dict[str, torch.Tensor | None]

    def arrive(self) -> bool:
        """Whether there is something to learn, and gradient that is not zero everywhere."""
        arrived = [*self.arguments, *self.parameters.values()]
        return bool(arrived) and all(g is not None and bool((g != 0).any()) for g in arrived)


class Layer(Handle):
    """One object that the student's code made, or a layer of torch's own beside it."""

    def __init__(
        self,
        candidate: Asker,
        handle: int,
        name: str,
        parameters: list | None = None,
        has_stand_in: bool = False,
    ):
        self.candidate = candidate
        self.handle = handle
        self.name = name
        self.has_stand_in = has_stand_in  # a stand-in is part of it
        self.described = parameters  # until something is done with it that may change them
        self.shape: Callable[..., Sequence[int]] | None = None
        self.last: Callable[..., object] = _nothing

    def expect(self, shape: Callable[..., Sequence[int]]) -> "Layer":
        """Hold every answer to this shape, a function of the arguments."""
        self.shape = shape
        return self

    def supply(self, last: Callable[..., object] | None) -> "Layer":
        """Where the student's code refuses a call, make it again with `last(*args)` behind its arguments.

        None, also as what `last` returns, adds nothing.
        """
        self.last = last or _nothing
        return self

    def __call__(self, *args: object) -> torch.Tensor:
        """Return the tensor that the layer returns, or the first of several.

        Raises `AssertionError` if there is none, or one of another shape.
        """
        return self.each(args)[0]

    def each(self, *calls: Sequence[object]) -> list[torch.Tensor]:
        """Return what `__call__` would for each of these arguments, by one question."""
        return self._supplied(self._each, *calls)

    def _each(self, *calls: Sequence[object]) -> list[torch.Tensor]:
        answers = self._call(calls, echo=False)
        return [
            self._tensor(_first(answer), args) for answer, args in zip(answers, calls, strict=True)
        ]

    def alone(self, *args: object) -> torch.Tensor:
        """Return the answer; it has to come alone."""
        return self._tensor(self._supplied(self._answer, args), args)

    def unchanged(self, *args: object) -> torch.Tensor:
        """Return the answer, or the first of several; the arguments have to stay as they were."""
        return self._tensor(_first(self._supplied(self._unchanged, args)), args)

    def strictly(self, *args: object) -> torch.Tensor:
        """Return the answer; it has to come alone, and the arguments have to stay as they were."""
        return self._tensor(self._supplied(self._unchanged, args), args)

    def _supplied(self, ask: Callable, *calls: Sequence[object]) -> Any:
        """Ask for these calls, or for the same with what `supply` adds where the code refuses them."""
        try:
            return ask(*calls)
        except CandidateFault:
            added = [self.last(*args) for args in calls]
            if all(one is None for one in added):
                raise
        longer = zip(calls, added, strict=True)
        return ask(*([*args, one] if one is not None else args for args, one in longer))

    def _answer(self, args: Sequence[object]) -> object:
        return self._call([args], echo=False)[0]

    def _unchanged(self, args: Sequence[object]) -> object:
        return without_changes(self._call([args], echo=True), args)

    def _call(self, calls: Sequence[Sequence[object]], echo: bool) -> list:
        """Ask for each of these calls. What is one object here is one object there, too."""
        given = [list(args) for args in calls]
        same = [[_place(arg, args) for arg in args] for args in given]
        answers = self._ask("call", calls=given, same=same, echo=echo)
        read = read_answers(answers, len(calls), echo)
        for answer in (read[0] if echo else read)[:1]:
            if isinstance(answer, tuple | list) and 0 < len(answer) <= MAX_SEVERAL:
                self.candidate.several[self.name] = len(answer)
        return read

    def load_state_dict(self, state: Mapping[str, torch.Tensor], strict: bool = True) -> None:
        """Load the reference's weights, by role.

        Raises `AssertionError` where a role is not there; without `strict`, it keeps its weights.
        """
        parameters = self.parameters()
        try:
            tensors = assign(state, parameters, self.candidate.aliases, strict)
        except NoSuchRole as missing:
            raise AssertionError(
                f"Which of your layers is `{missing.path}`? Does it have the statement's sizes?"
            ) from missing
        self.load_parameters(tensors)

    def load_parameters(self, tensors: Mapping[str, torch.Tensor]) -> None:
        """Load tensors by the student's own names of parameters, see `parameters`."""
        self.candidate.prepare("load", {"handle": self.handle, "tensors": dict(tensors)})

    def eval(self) -> "Layer":
        return self._mode(training=False)

    def train(self) -> "Layer":
        return self._mode(training=True)

    def _mode(self, training: bool) -> "Layer":
        self.candidate.prepare("mode", {"handle": self.handle, "training": training})
        return self

    def gradients(self, *args: object, upstream: torch.Tensor | None = None) -> "Gradients":
        """Return the gradients of sum(upstream * output); `upstream` is random unless it is given."""
        if upstream is None:
            shape = self.shape(*args) if self.shape else self(*args).shape
            upstream = torch.randn(*shape)
        return self._supplied(lambda call: self._gradients(call, upstream), args)

    def _gradients(self, args: Sequence[object], upstream: torch.Tensor) -> "Gradients":
        answer = self._ask("gradients", args=list(args), upstream=upstream)
        with parsing_untrusted():
            arguments, parameters = answer["arguments"], answer["parameters"]
            if not isinstance(arguments, list) or not isinstance(parameters, dict):
                raise TypeError("gradients come as a list and by name")
            if not all(_is_gradient(item) for item in (*arguments, *parameters.values())):
                raise TypeError("a gradient is a tensor or None")
            floating = [g for g, arg in zip(arguments, args, strict=True) if floats(arg)]
        return Gradients(floating, parameters)

    def learns(self, *args: object) -> bool:
        """Whether gradient arrives at every floating argument and at everything that is learned."""
        return self.gradients(*args).arrive()

    def library_calls(self, *args: object) -> frozenset[str]:
        """Return the names of torch's functions and operators that a call comes down to, its gradients
        included, and of torch's classes that the layer is made of.
        """
        call = {"handle": self.handle, "args": list(args)}
        return self.candidate.library_calls(call, self.name)

    def modules(self) -> list[Module]:
        """The module tree in order of registration, shared objects under each of their names."""
        answer = self.candidate.ask("modules", {"handle": self.handle}, about=self.name)
        with parsing_untrusted():
            return [read_module(item) for item in few(answer)]

    def parameters(self) -> list[Parameter]:
        """The parameters in order of registration, shared ones under each of their names."""
        answer = self._ask("parameters") if self.described is None else self.described
        with parsing_untrusted():
            return [read_parameter(item) for item in few(answer)]

    def _ask(self, operation: str, about: str = "", **arguments: object) -> Any:
        self.described = None
        question = {"handle": self.handle, **arguments}
        return self.candidate.ask(operation, question, about=about or self.name)

    def _tensor(self, answer: object, args: Sequence[object]) -> torch.Tensor:
        if not isinstance(answer, torch.Tensor):
            raise AssertionError(RETURNS[_form(answer)])
        right = self.shape is None or answer.shape == torch.Size(self.shape(*args))
        if not right or not answer.is_floating_point():
            raise AssertionError(
                "Which shape does `forward` return, and which one does the statement say?"
            )
        return answer


def _nothing(*_: object) -> None:
    """What `supply` adds where nobody said it."""


def _first(answer: object) -> object:
    """Return the answer, or the first of several."""
    return answer[0] if isinstance(answer, tuple | list) and answer else answer


def _form(answer: object) -> str:
    """Which form an answer has that is no tensor."""
    if isinstance(answer, tuple | list):
        return "several"
    return "nothing" if answer is None else "other"


def _place(arg: object, args: list) -> int:
    """The first place at which these arguments have this very object."""
    return next(place for place, other in enumerate(args) if other is arg)


def _same(now: Any, before: Any) -> bool:
    """Whether an argument is as it was; what is not a number stays as good as it was."""
    match before:
        case torch.Tensor():
            return (
                isinstance(now, torch.Tensor)
                and (now.dtype, now.shape) == (before.dtype, before.shape)
                and torch.equal(now.nan_to_num(), before.nan_to_num())
            )
        case list() | tuple():
            alike = isinstance(now, list | tuple) and len(now) == len(before)
            return alike and all(map(_same, now, before))
        case dict():
            alike = isinstance(now, dict) and now.keys() == before.keys()
            return alike and all(_same(now[key], before[key]) for key in before)
    return now == before


def _is_gradient(item: object) -> bool:
    return item is None or isinstance(item, torch.Tensor)


def read_answers(answers: object, count: int, echo: bool) -> list:
    """Return the answers to `count` calls, with `echo` each with its arguments. Raises `ChannelError`."""
    with parsing_untrusted():
        pairs = answers if echo else []
        if not isinstance(answers, list) or len(answers) != count:
            raise ValueError("an answer for each call")
        if not all(isinstance(pair, tuple) and len(pair) == 2 for pair in pairs):  # type: ignore[attr-defined]
            raise ValueError("an answer with its arguments")
        return answers


def without_changes(answers: list, args: Sequence[object]) -> object:
    """Return the one answer; raise `AssertionError` if the call changed its arguments."""
    ((answer, after),) = answers
    with parsing_untrusted():
        if not isinstance(after, list):
            raise TypeError("arguments come as a list")
        same = all(_same(now, before) for now, before in zip(after, args, strict=True))
    if not same:
        raise AssertionError("After the call the input is another. Which line changes it in place?")
    return answer
