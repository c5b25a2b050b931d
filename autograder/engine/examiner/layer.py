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
    """The methods of `Candidate` that a `Layer` uses; see there."""

    aliases: Mapping[str, str]  # what students call the reference's layers, as patterns
    several: dict[str, int]  # by name, where an answer came with others: how many these were

    def ask(self, operation: str, arguments: dict, about: str = "") -> Any:
        """Put one question; return its answer. Raise `CandidateFault` if the student's code raises,
        `CandidateLost` if its process ends or times out.

        `operation` and `arguments`: what is asked, see `candidate/operations.py`; `about`: the name
        that the student's message mentions.
        """

    def question(self, operation: str, arguments: dict, **more: Any) -> Question:
        """Return a `Question` that begins with the prepared steps and ends with this operation;
        `more` are further fields of `Question`.

        `operation` and `arguments`: what is asked, see `candidate/operations.py`.
        """

    def answers(self, *questions: Question) -> list:
        """Put questions in one message; return their answers in order."""

    def library_calls(self, handle: int, args: list, about: str = "") -> frozenset[str]:
        """Return the names of the functions and operators of torch that a call uses.

        `handle`: the object's number; `args`: the arguments of the call; `about`: the name that the
        student's message mentions.
        """

    def stand_in_again(self, group: int | None) -> None:
        """Before the next question, use the group of stand-ins with this number again; None changes
        nothing.
        """

    def prepare(self, operation: str, arguments: dict) -> None:
        """Add a step to the beginning of the next question: this operation with these arguments,
        see `candidate/operations.py`.
        """


class Layer(Handle):
    """An object that the student's code built, or a layer of `torch.nn` that was built in the same
    process.

    `handle`: its number there; `name`: the class or function that built it; `parameters`: their
    descriptions if they are known; `has_stand_in`: whether a stand-in is part of it; `group`: the
    number of the stand-ins that were in place when it was built, see `Candidate.stand_in`.
    """

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
        """Require every answer to have the shape that `shape(*args)` returns for the arguments of
        the call; return this layer.
        """
        self.shape = shape
        return self

    def supply(self, last: Callable[..., object] | None) -> "Layer":
        """If the student's code refuses a call with `args`, retry it with `last(*args)` as one more
        argument at the end; return this layer.

        No argument is added if `last` is None or returns None.
        """
        self.last = last or _nothing
        return self

    @property
    def later(self) -> "Later":
        """An object whose methods return the calls of this layer as questions, to be put in one
        message: `candidate.answers(layer.later(x), ...)`.
        """
        return Later(self)

    def __call__(self, *args: object) -> torch.Tensor:
        """Call the layer; return the tensor that it returns, or the first item if it returns a
        tuple or list.

        Raise `AssertionError` if this is no floating-point tensor, or does not have the shape given
        to `expect`.
        """
        return self._answer(self.later(*args))

    def each(self, *calls: Sequence[object]) -> list[torch.Tensor]:
        """Call the layer once for each of `calls`, a sequence of arguments, in one question; return
        a list of what `__call__` would return.
        """
        return self._answer(self.later.each(*calls))

    def alone(self, *args: object) -> torch.Tensor:
        """Call the layer; return its tensor. Raise `AssertionError` as `__call__` does, and also if
        it returns a tuple or list.
        """
        return self._answer(self.later.alone(*args))

    def unchanged(self, *args: object) -> torch.Tensor:
        """Call the layer; return what `__call__` does. Raise `AssertionError` as it does, and also
        if the call changed an argument.
        """
        return self._answer(self.later.unchanged(*args))

    def strictly(self, *args: object) -> torch.Tensor:
        """Call the layer; return its tensor. Raise `AssertionError` as `__call__` does, and also if
        it returns a tuple or list, or changed an argument.
        """
        return self._answer(self.later.strictly(*args))

    def _answer(self, question: Question) -> Any:
        return self.candidate.answers(question)[0]

    def supplied(self, calls: Sequence[Sequence[object]]) -> list[list] | None:
        """Return these calls, each a sequence of arguments, with the argument that `supply` adds to
        each; None if it adds none at all.
        """
        added = [self.last(*args) for args in calls]
        if all(one is None for one in added):
            return None
        longer = zip(calls, added, strict=True)
        return [[*args] if one is None else [*args, one] for args, one in longer]

    def several(self, answer: object) -> None:
        """If `answer` is a tuple or list, record its length in `candidate.several`, under this
        layer's name.
        """
        if isinstance(answer, tuple | list) and 0 < len(answer) <= MAX_SEVERAL:
            self.candidate.several[self.name] = len(answer)

    def load_state_dict(self, state: Mapping[str, torch.Tensor], strict: bool = True) -> None:
        """Load the reference's weights into the student's layers with the same role (query
        projection, first norm, ...), at the beginning of the next question.

        `state`: the `state_dict` of the reference. With `strict`, raise `AssertionError` if the
        student has another number of layers of one shape than the reference, or if nothing can be
        loaded. Otherwise, such layers keep their weights.
        """
        self.load_parameters(self.by_role(state, strict))

    def by_role(
        self, state: Mapping[str, torch.Tensor], strict: bool = False
    ) -> dict[str, torch.Tensor]:
        """Return the reference's weights under the student's parameter names, as `load_state_dict`
        would load them, without loading them.

        `state` and `strict` are those of `load_state_dict`.
        """
        return assign(state, self.known_parameters(), self.candidate.aliases, strict)

    def load_parameters(self, tensors: Mapping[str, torch.Tensor]) -> None:
        """Load copies of these tensors at the beginning of the next question. Keys are the
        student's parameter names, see `parameters`.
        """
        now = {name: tensor.detach().clone() for name, tensor in tensors.items()}
        self.candidate.prepare("load", {"handle": self.handle, "tensors": now})

    def eval(self) -> "Layer":
        """Switch the layer to evaluation mode before the next question; return this layer."""
        return self._mode(training=False)

    def train(self) -> "Layer":
        """Switch the layer to training mode before the next question; return this layer."""
        return self._mode(training=True)

    def _mode(self, training: bool) -> "Layer":
        self.candidate.prepare("mode", {"handle": self.handle, "training": training})
        return self

    def gradients(self, *args: object, upstream: torch.Tensor | None = None) -> "Gradients":
        """Call the layer with these arguments, and return the gradients of (output *
        upstream).sum(); `upstream` is random if it is None.
        """
        if upstream is None:
            shape = self.shape(*args) if self.shape else self(*args).shape
            upstream = torch.randn(*shape)
        return self._answer(self.later.gradients(*args, upstream=upstream))

    def learns(self, *args: object) -> bool:
        """Whether every floating-point argument and every trainable parameter gets a gradient that
        is not zero everywhere.
        """
        return self.gradients(*args).arrive()

    def library_calls(self, *args: object) -> frozenset[str]:
        """Return the names of torch's functions and operators that a call with these arguments and
        its backward pass use, and of torch's classes in the layer.
        """
        return self.candidate.library_calls(self.handle, list(args), self.name)

    def modules(self) -> list[Module]:
        """Return its modules in order of registration; a shared module appears under each of its
        names.
        """
        return self._answer(self.later.modules())

    def parameters(self) -> list[Parameter]:
        """Return descriptions of its parameters in order of registration; a shared one appears
        under each of its names.
        """
        if self.described is None:
            self.known = self.described = self._answer(self.question("parameters", {}))
        return _read_parameters(self.described)

    def known_parameters(self) -> list[Parameter]:
        """Return descriptions of its parameters as they were last seen; the candidate is only asked
        if there are none yet.
        """
        return self.parameters() if self.known is None else _read_parameters(self.known)

    def question(self, operation: str, arguments: dict, **more: Any) -> Question:
        """Return a question that asks for an operation on this layer; its fields `more` are those
        of `Question`.

        `operation` and `arguments`: see `candidate/operations.py`. The stand-ins with which the
        layer was built are used again. The parameters may change, so they will be asked for anew.
        """
        self.described = None
        self.candidate.stand_in_again(self.group)
        asked = {"handle": self.handle, **arguments}
        return self.candidate.question(operation, asked, about=self.name, **more)

    def tensor(self, answer: object, args: Sequence[object]) -> torch.Tensor:
        """Return `answer`, what the student's `forward` returned for `args`. Raise `AssertionError`
        if it is no floating-point tensor, or does not have the shape given to `expect`.
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
    """The calls of a layer as questions, which can be put in one message.

    Each method returns a question whose answer is what the method of `Layer` with the same name
    returns.
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
        """Return the question for these calls, each a sequence of arguments. An object that is
        passed twice in a call arrives as one object.

        `read(answers, calls)` converts the answers, with the arguments that were used; with `echo`,
        each answer comes with the arguments as the call left them.
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
        """Return the question that `ask(calls, instead)` makes; if the student's code refuses it,
        it is put again with the arguments that `supply` adds.
        """

        def longer() -> Question | None:
            supplied = self.layer.supplied(calls)
            return ask(supplied, nothing_else) if supplied else None

        return ask([list(args) for args in calls], longer)


def _read_parameters(described: Any) -> list[Parameter]:
    with parsing_untrusted():
        return [read_parameter(item) for item in few(described)]


def _nothing(*_: object) -> None:
    """Return None, whatever the arguments: the default of `supply`, which adds no argument."""


def _first(answer: object) -> object:
    """Return the first item of a tuple or list; anything else unchanged."""
    return answer[0] if isinstance(answer, tuple | list) and answer else answer


def _form(answer: object) -> str:
    """Return "several", "nothing" or "other": which form an answer has that is no tensor."""
    if isinstance(answer, tuple | list):
        return "several"
    return "nothing" if answer is None else "other"


def _place(arg: object, args: list) -> int:
    """Return the index of the first item of `args` that is the object `arg` itself."""
    return next(place for place, other in enumerate(args) if other is arg)
