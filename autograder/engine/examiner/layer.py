"""The proxy of one object that the student's code built: load weights, call it, inspect it.

layer = candidate.build("FeedForward", 8, 32).expect(lambda x: x.shape)
layer.load_state_dict(reference.state_dict())    by role; sent along with the next question
y = layer.eval()(x)          one message: load, eval, call. AssertionError for another shape
y = layer.strictly(x)        AssertionError also for a tuple, or if the call changed x
one, other = candidate.answers(layer.later(x), layer.later(z))         two calls in one message
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Protocol

import torch

from autograder.engine.examiner.descriptions import (
    Module,
    few,
    parsing_untrusted,
    read_module,
    read_parameter,
)
from autograder.engine.examiner.faults import RETURNS
from autograder.engine.examiner.handed import Handle
from autograder.engine.examiner.question import Question, nothing_else
from autograder.engine.examiner.reading import (
    Gradients,
    read_answers,
    read_gradients,
    without_changes,
)
from autograder.engine.examiner.roles import Parameter, assign

MAX_SEVERAL = 10  # things that a part returns


class Asker(Protocol):
    """The methods of `Candidate` that a layer uses."""

    aliases: Mapping[str, str]  # what students call the reference's layers, as patterns
    several: dict[str, int]  # by name, where an answer came with others: how many these were

    def ask(self, operation: str, arguments: dict, about: str = "") -> Any:
        """Put one question; return its answer. Raises `CandidateFault`, `CandidateLost`."""

    def question(self, operation: str, arguments: dict, **more: Any) -> Question:
        """Return a question that begins with the prepared steps."""

    def answers(self, *questions: Question) -> list:
        """Put questions in one message; return their answers."""

    def library_calls(self, handle: int, args: list, about: str = "") -> frozenset[str]:
        """Return the names of torch's functions and operators that a call uses."""

    def stand_in_again(self, group: int | None) -> None:
        """Before the next question, activate the group of stand-ins that a layer was built with."""

    def prepare(self, operation: str, arguments: dict) -> None:
        """Add a step to the beginning of the next question, in the same message."""


class Layer(Handle):
    """An object that the student's code built, or a layer of `torch.nn` beside it."""

    def __init__(
        self,
        candidate: Asker,
        handle: int,
        name: str,
        parameters: list | None = None,
        has_stand_in: bool = False,
        group: int | None = None,
    ):
        self.candidate = candidate
        self.handle = handle
        self.name = name
        self.has_stand_in = has_stand_in  # a stand-in is part of it
        self.group = group  # of stand-ins that were there when it was built
        self.described = parameters  # until something is done with it that may change them
        self.known = parameters  # as they were described last
        self.shape: Callable[..., Sequence[int]] | None = None
        self.last: Callable[..., object] = _nothing

    def expect(self, shape: Callable[..., Sequence[int]]) -> "Layer":
        """Require this shape, a function of the arguments, of every answer; return this layer."""
        self.shape = shape
        return self

    def supply(self, last: Callable[..., object] | None) -> "Layer":
        """If the student's code refuses a call, retry it with `last(*args)` as one more argument.

        None, also as the result of `last`, adds nothing. Return this layer.
        """
        self.last = last or _nothing
        return self

    @property
    def later(self) -> "Later":
        """The calls of this layer as questions, which can be put in one message:
        `candidate.answers(layer.later(x), ...)`.
        """
        return Later(self)

    def __call__(self, *args: object) -> torch.Tensor:
        """Call the layer; return the tensor that it returns, or the first of several.

        Raises `AssertionError` if that is no floating-point tensor, or has another shape than
        expected.
        """
        return self._answer(self.later(*args))

    def each(self, *calls: Sequence[object]) -> list[torch.Tensor]:
        """Call the layer with each of these arguments, in one question; return what `__call__` does
        for each.
        """
        return self._answer(self.later.each(*calls))

    def alone(self, *args: object) -> torch.Tensor:
        """Call the layer; return its answer. Raises `AssertionError` also if it returns several
        things.
        """
        return self._answer(self.later.alone(*args))

    def unchanged(self, *args: object) -> torch.Tensor:
        """Call the layer; return what `__call__` does. Raises `AssertionError` also if the
        arguments changed.
        """
        return self._answer(self.later.unchanged(*args))

    def strictly(self, *args: object) -> torch.Tensor:
        """Call the layer; return its answer. Raises `AssertionError` also if it returns several
        things or its arguments changed.
        """
        return self._answer(self.later.strictly(*args))

    def _answer(self, question: Question) -> Any:
        return self.candidate.answers(question)[0]

    def supplied(self, calls: Sequence[Sequence[object]]) -> list[list] | None:
        """Return these calls with the arguments that `supply` adds; None where it adds none."""
        added = [self.last(*args) for args in calls]
        if all(one is None for one in added):
            return None
        longer = zip(calls, added, strict=True)
        return [[*args] if one is None else [*args, one] for args, one in longer]

    def several(self, answer: object) -> None:
        """Keep the length of an answer that is a tuple or list."""
        if isinstance(answer, tuple | list) and 0 < len(answer) <= MAX_SEVERAL:
            self.candidate.several[self.name] = len(answer)

    def load_state_dict(self, state: Mapping[str, torch.Tensor], strict: bool = True) -> None:
        """Load the reference's weights by role, at the beginning of the next question.

        Raises `AssertionError` where a role has no layer; without `strict`, such layers keep their
        weights.
        """
        self.load_parameters(self.by_role(state, strict))

    def by_role(
        self, state: Mapping[str, torch.Tensor], strict: bool = False
    ) -> dict[str, torch.Tensor]:
        """Return the reference's weights by the student's parameter names, as `load_state_dict`
        loads them.
        """
        return assign(state, self.known_parameters(), self.candidate.aliases, strict)

    def load_parameters(self, tensors: Mapping[str, torch.Tensor]) -> None:
        """Load copies of tensors by the student's parameter names (see `parameters`), at the
        beginning of the next question.
        """
        now = {name: tensor.detach().clone() for name, tensor in tensors.items()}
        self.candidate.prepare("load", {"handle": self.handle, "tensors": now})

    def eval(self) -> "Layer":
        """Switch to evaluation mode before the next question; return this layer."""
        return self._mode(training=False)

    def train(self) -> "Layer":
        """Switch to training mode before the next question; return this layer."""
        return self._mode(training=True)

    def _mode(self, training: bool) -> "Layer":
        self.candidate.prepare("mode", {"handle": self.handle, "training": training})
        return self

    def gradients(self, *args: object, upstream: torch.Tensor | None = None) -> "Gradients":
        """Return the gradients of (output * upstream).sum(); `upstream` is random unless it is
        given.
        """
        if upstream is None:
            shape = self.shape(*args) if self.shape else self(*args).shape
            upstream = torch.randn(*shape)
        return self._answer(self.later.gradients(*args, upstream=upstream))

    def learns(self, *args: object) -> bool:
        """Whether every floating-point argument and every trainable parameter gets a gradient that
        is not zero.
        """
        return self.gradients(*args).arrive()

    def library_calls(self, *args: object) -> frozenset[str]:
        """Return the names of torch's functions and operators that a call and its backward pass
        use, and of torch's classes that the layer is made of.
        """
        return self.candidate.library_calls(self.handle, list(args), self.name)

    def modules(self) -> list[Module]:
        """Return its modules in order of registration, shared ones under each of their names."""
        return self._answer(self.later.modules())

    def parameters(self) -> list[Parameter]:
        """Return its parameters in order of registration, shared ones under each of their names."""
        if self.described is None:
            self.known = self.described = self._answer(self.question("parameters", {}))
        return _read_parameters(self.described)

    def known_parameters(self) -> list[Parameter]:
        """Return its parameters as last described, if possible without asking the candidate."""
        return self.parameters() if self.known is None else _read_parameters(self.known)

    def question(self, operation: str, arguments: dict, **more: Any) -> Question:
        """Return a question about this layer, with the stand-ins that it was built with; its
        parameters may change.
        """
        self.described = None
        self.candidate.stand_in_again(self.group)
        asked = {"handle": self.handle, **arguments}
        return self.candidate.question(operation, asked, about=self.name, **more)

    def tensor(self, answer: object, args: Sequence[object]) -> torch.Tensor:
        """Return an answer that is a floating-point tensor of the expected shape. Raises
        `AssertionError` for any other.
        """
        if not isinstance(answer, torch.Tensor):
            raise AssertionError(RETURNS[_form(answer)])
        right = self.shape is None or answer.shape == torch.Size(self.shape(*args))
        if not right or not answer.is_floating_point():
            raise AssertionError(
                "Which shape does `forward` return, and which one does the statement say?"
            )
        return answer


class Later:
    """The calls of a layer as questions, which can be put in one message; each answer is read as by
    the layer's own method.
    """

    def __init__(self, layer: Layer):
        self.layer = layer

    def __call__(self, *args: object) -> Question:
        return self._call([args], lambda answers, _: self.layer.tensor(_first(answers[0]), args))

    def each(self, *calls: Sequence[object]) -> Question:
        def read(answers: list, _: list[list]) -> list[torch.Tensor]:
            pairs = zip(answers, calls, strict=True)
            return [self.layer.tensor(_first(answer), args) for answer, args in pairs]

        return self._call(calls, read)

    def alone(self, *args: object) -> Question:
        return self._call([args], lambda answers, _: self.layer.tensor(answers[0], args))

    def unchanged(self, *args: object) -> Question:
        def read(answers: list, given: list[list]) -> torch.Tensor:
            return self.layer.tensor(_first(without_changes(answers, given[0])), args)

        return self._call([args], read, echo=True)

    def strictly(self, *args: object) -> Question:
        def read(answers: list, given: list[list]) -> torch.Tensor:
            return self.layer.tensor(without_changes(answers, given[0]), args)

        return self._call([args], read, echo=True)

    def modules(self) -> Question:
        def read(answer: list) -> list[Module]:
            with parsing_untrusted():
                return [read_module(item) for item in few(answer)]

        asked = {"handle": self.layer.handle}
        return self.layer.candidate.question("modules", asked, about=self.layer.name, read=read)

    def gradients(self, *args: object, upstream: torch.Tensor) -> Question:
        def ask(calls: list[list], instead: Callable) -> Question:
            (given,) = calls
            asked = {"args": given, "upstream": upstream}
            read = partial(read_gradients, given)
            return self.layer.question("gradients", asked, read=read, instead=instead)

        return self._or_supplied(ask, [args])

    def _call(
        self, calls: Sequence[Sequence[object]], read: Callable, echo: bool = False
    ) -> Question:
        """Return the question for these calls; arguments that are one object here are one object
        there.

        `read` gets the answers, and the calls that were answered.
        """

        def ask(given: list[list], instead: Callable) -> Question:
            same = [[_place(arg, args) for arg in args] for args in given]

            def checked(answers: object) -> Any:
                plain = read_answers(answers, len(given), echo)
                self.layer.several(plain[0][0] if echo else plain[0])
                return read(plain, given)

            asked = {"calls": given, "same": same, "echo": echo}
            return self.layer.question("call", asked, read=checked, instead=instead)

        return self._or_supplied(ask, calls)

    def _or_supplied(self, ask: Callable, calls: Sequence[Sequence[object]]) -> Question:
        """Return the question for these calls; if the code refuses it, it is retried with the
        arguments of `supply`.
        """

        def longer() -> Question | None:
            supplied = self.layer.supplied(calls)
            return ask(supplied, nothing_else) if supplied else None

        return ask([list(args) for args in calls], longer)


def _read_parameters(described: Any) -> list[Parameter]:
    with parsing_untrusted():
        return [read_parameter(item) for item in few(described)]


def _nothing(*_: object) -> None:
    """The default of `supply`: no argument is added."""


def _first(answer: object) -> object:
    """Return the answer of a `forward`, or the first item of a tuple or list."""
    return answer[0] if isinstance(answer, tuple | list) and answer else answer


def _form(answer: object) -> str:
    """Return which form an answer has that is no tensor: several, nothing or other."""
    if isinstance(answer, tuple | list):
        return "several"
    return "nothing" if answer is None else "other"


def _place(arg: object, args: list) -> int:
    """Return the index of the first of these arguments that is this very object."""
    return next(place for place, other in enumerate(args) if other is arg)
