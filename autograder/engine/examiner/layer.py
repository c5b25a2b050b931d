"""The proxy of an object that the student's code built: load weights, call it, inspect it.

layer = candidate.build("FeedForward", 8, 32).expect(lambda x: x.shape)
layer.load_state_dict(reference.state_dict())    by role; sent along with the next question
y = layer.eval()(x)          one message: load, eval, call. AssertionError for another shape
y = layer.strictly(x)        AssertionError also for a tuple, or if the call changed x
y1, y2 = layer.each((x1,), (x2,))                two calls in one message
"""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch

from autograder.engine.candidate.tensors import first
from autograder.engine.examiner.asking import Asker, own_random_numbers
from autograder.engine.examiner.comparing import normalised_error
from autograder.engine.examiner.descriptions import (
    Module,
    few,
    parsing_untrusted,
    read_module,
    read_parameter,
)
from autograder.engine.examiner.faults import RETURNS, CandidateFault
from autograder.engine.examiner.handed import Handle
from autograder.engine.examiner.owners import Parameter
from autograder.engine.examiner.reading import (
    Gradients,
    read_answers,
    read_gradients,
    without_changes,
)
from autograder.engine.examiner.trials import BY_NAME, Roles, ways

MAX_SEVERAL = 10  # results of a part


class Layer(Handle):
    """An object that the student's code built, or a layer of `torch.nn` in the same process.

    `handle`: its number there. `name`: the class or function that built it. `parameters`: their
    descriptions if they are known.
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
        self.has_stand_in = has_stand_in  # a stand-in is part of the layer
        self.group = group  # of the stand-ins with which it was built
        self.described = parameters  # the latest descriptions
        self.roles = BY_NAME
        self.shape: Callable[..., Sequence[int]] | None = None
        self.last: Callable[..., object] = _nothing

    def expect(self, shape: Callable[..., Sequence[int]]) -> "Layer":
        """Require every answer to have the shape `shape(*args)` and return this layer."""
        self.shape = shape
        return self

    def supply(self, last: Callable[..., object] | None) -> "Layer":
        """Supply an optional last argument and return this layer.

        If the student's code raises when it is called with `args`, it is called again with
        `last(*args)` as an additional last argument, unless that is None.
        """
        self.last = last or _nothing
        return self

    def __call__(self, *args: object) -> torch.Tensor:
        """Call the layer and return its tensor, or the first item of a tuple or list.

        Raise `AssertionError` if this is not a floating-point tensor, or does not have the shape
        given to `expect`.
        """
        return self.each(args)[0]

    def each(self, *calls: Sequence[object]) -> list[torch.Tensor]:
        """Call the layer with each of these sequences of arguments, in a single question.

        Return a list of tensors as from `__call__`.
        """
        answers = self._or_supplied(self._calls, calls)
        return [
            self._tensor(first(answer), args) for answer, args in zip(answers, calls, strict=True)
        ]

    def alone(self, *args: object) -> torch.Tensor:
        """Call the layer as `__call__` does. Raise `AssertionError` also for a tuple or list."""
        return self._tensor(self._or_supplied(self._calls, [args])[0], args)

    def unchanged(self, *args: object) -> torch.Tensor:
        """Call the layer as `__call__` does. Raise `AssertionError` also if an argument changed."""
        return self._tensor(first(self._or_supplied(self._unchanged, [args])), args)

    def strictly(self, *args: object) -> torch.Tensor:
        """Call the layer as `__call__` does. Raise `AssertionError` also for a tuple or list, and
        if an argument changed.
        """
        return self._tensor(self._or_supplied(self._unchanged, [args]), args)

    def _unchanged(self, calls: list[list]) -> object:
        return without_changes(self._calls(calls, echo=True), calls[0])

    def _calls(self, calls: list[list], echo: bool = False) -> list:
        """Return the answers to these calls, with `echo` as pairs (answer, arguments afterwards).

        An object that is passed twice in a call arrives as the same object. The length of a first
        answer that is a tuple or list is recorded in `candidate.several`, under this layer's name.
        """
        same = [[_place(arg, args) for arg in args] for args in calls]
        reply = self._ask("call", {"calls": calls, "same": same, "echo": echo})
        answers = read_answers(reply, len(calls), echo)
        first_answer = answers[0][0] if echo else answers[0]
        if isinstance(first_answer, tuple | list) and 0 < len(first_answer) <= MAX_SEVERAL:
            self.candidate.several[self.name] = len(first_answer)
        return answers

    def _or_supplied(self, ask: Callable[[list[list]], Any], calls: Sequence[Sequence]) -> Any:
        """Return `ask(calls)`, or if the student's code raises, with the arguments of `supply`.

        Raise the `CandidateFault` if `supply` adds no argument to any call.
        """
        try:
            return ask([list(args) for args in calls])
        except CandidateFault:
            added = [self.last(*args) for args in calls]
            if all(argument is None for argument in added):
                raise
        longer = zip(calls, added, strict=True)
        return ask(
            [[*args] if argument is None else [*args, argument] for args, argument in longer]
        )

    def load_state_dict(self, state: Mapping[str, torch.Tensor], strict: bool = True) -> None:
        """Load the reference's weights into the student's layers with the same role (query
        projection, first norm, ...), at the beginning of the next question.

        `state`: the `state_dict` of the reference. With `strict`, raise `AssertionError` if the
        student has another number of layers of a shape than the reference, or if nothing can be
        loaded. Otherwise, such layers keep their weights.
        """
        self.load_parameters(self.by_role(state, strict))

    def by_role(
        self, state: Mapping[str, torch.Tensor], strict: bool = False
    ) -> dict[str, torch.Tensor]:
        """Return the weights that `load_state_dict` would load, by the student's names."""
        return self.roles.loads(state, self.known_parameters(), self.candidate.aliases, strict)

    def load_like(self, reference: torch.nn.Module, *args: object, strict: bool = True) -> None:
        """Load the reference's weights as `load_state_dict` does, and switch to evaluation mode.

        If names do not tell the roles of the student's parameters, choose the roles with which the
        layer's answer to `args` is most like the reference's. They also hold for later weights.
        """
        state, best = reference.state_dict(), math.inf
        choices = ways(state, self.known_parameters(), self.candidate.aliases)
        self.eval()
        with self.candidate.aside():
            for roles in choices if len(choices) > 1 else ():
                error = self._error_with(roles, reference, args)
                if error < best:
                    self.roles, best = roles, error
                if best <= 1:
                    break
        self.load_state_dict(state, strict)

    def randomise(
        self,
        draw: Callable[[Sequence[int]], torch.Tensor | None] = torch.randn,
        state: Mapping[str, torch.Tensor] | None = None,
    ) -> dict[str, torch.Tensor]:
        """Load new numbers into every trainable parameter and return them by name.

        A shared parameter has one of its names. A parameter with the role of a weight in `state`, a
        `state_dict` of the reference, gets that weight. Any other gets `draw(shape)`, or stays
        unchanged if that is None. The numbers are drawn in the order of shapes, so that equal
        shapes get equal numbers whatever the parameters' names and order. The graders' own random
        numbers go on as after a single draw.
        """
        learned = {p.identity: p for p in self.known_parameters() if p.requires_grad}.values()
        by_role = self.by_role(state or {})
        with own_random_numbers():
            drawn = {p.name: draw(p.shape) for p in sorted(learned, key=lambda p: p.shape)}
        chosen = [(p, by_role.get(p.name, drawn[p.name])) for p in learned]
        values = {p.name: value.reshape(p.shape) for p, value in chosen if value is not None}
        self.load_parameters(values)
        return values

    def _error_with(self, roles: Roles, reference: torch.nn.Module, args: Sequence) -> float:
        previous, self.roles = self.roles, roles
        try:
            self.load_state_dict(reference.state_dict())
            answer = self(*args)
            with torch.no_grad():
                return normalised_error(answer, reference(*args))
        except (AssertionError, CandidateFault):
            return math.inf
        finally:
            self.roles = previous

    def load_parameters(self, tensors: Mapping[str, torch.Tensor]) -> None:
        """Load copies of these tensors, by the student's parameter names, at the beginning of the
        next question.
        """
        now = {name: tensor.detach().clone() for name, tensor in tensors.items()}
        self.candidate.prepare("load", {"handle": self.handle, "tensors": now})

    def eval(self) -> "Layer":
        """Switch the layer to evaluation mode before the next question and return this layer."""
        return self._mode(training=False)

    def train(self) -> "Layer":
        """Switch the layer to training mode before the next question and return this layer."""
        return self._mode(training=True)

    def _mode(self, training: bool) -> "Layer":
        self.candidate.prepare("mode", {"handle": self.handle, "training": training})
        return self

    def gradients(self, *args: object, upstream: torch.Tensor | None = None) -> "Gradients":
        """Call the layer and return the gradients of (output * upstream).sum().

        `upstream` is random by default.
        """
        if upstream is None:
            shape = self.shape(*args) if self.shape else self(*args).shape
            upstream = torch.randn(*shape)

        def ask(calls: list[list]) -> Gradients:
            answer = self._ask("gradients", {"args": calls[0], "upstream": upstream})
            return read_gradients(calls[0], answer)

        return self._or_supplied(ask, [args])

    def slope_of_parameters(self, *args: object) -> torch.Tensor:
        """Return the ratio of the predicted and the actual change of (output * upstream).sum() for
        a small random step of all parameters.

        The prediction uses the gradients, so the ratio is about 1 if they are right. The parameters
        get new numbers. Raise as `gradients` does. A parameter without a gradient counts as zero.
        """
        values = self.randomise(lambda shape: 0.5 + torch.rand(shape))
        upstream = torch.randn(*(self.shape(*args) if self.shape else self(*args).shape))
        steps = {name: torch.randn(value.shape) for name, value in values.items()}
        arrived = self.gradients(*args, upstream=upstream).parameters
        predicted, sums = torch.zeros(()), []
        for name, step in steps.items():
            gradient = arrived.get(name)
            predicted = predicted + (0 if gradient is None else (gradient * step).sum())
        for share in (0.01, -0.01):
            self.load_parameters({name: values[name] + share * steps[name] for name in values})
            sums.append((self(*args) * upstream).sum())
        return 0.02 * predicted / (sums[0] - sums[1])

    def learns(self, *args: object) -> bool:
        """Whether every floating-point argument and every trainable parameter gets a gradient that
        is not zero everywhere.
        """
        return self.gradients(*args).arrive()

    def library_calls(self, *args: object) -> frozenset[str]:
        """Return torch's functions and operators in a call and its backward pass, and torch's
        classes in the layer, by name.
        """
        return self.candidate.library_calls(self.handle, list(args), self.name)

    def modules(self) -> list[Module]:
        """Return its modules in order of registration, a shared module under each of its names."""
        answer = self.candidate.ask("modules", {"handle": self.handle}, about=self.name)
        with parsing_untrusted():
            return [read_module(item) for item in few(answer)]

    def parameters(self) -> list[Parameter]:
        """Return its parameters in order of registration, a shared one under each of its names."""
        self.described = self._ask("parameters", {})
        return _read_parameters(self.described)

    def known_parameters(self) -> list[Parameter]:
        """Return the latest descriptions of its parameters, asking only if there are none yet."""
        return self.parameters() if self.described is None else _read_parameters(self.described)

    def _ask(self, operation: str, arguments: dict) -> Any:
        """Return the answer to an operation on this layer, asked with its stand-ins in place."""
        self.candidate.stand_in_again(self.group)
        return self.candidate.ask(operation, {"handle": self.handle, **arguments}, self.name)

    def _tensor(self, answer: object, args: Sequence[object]) -> torch.Tensor:
        """Return the answer to `args` if it is a floating-point tensor with the expected shape.

        Raise `AssertionError` otherwise.
        """
        if not isinstance(answer, torch.Tensor):
            raise AssertionError(RETURNS[_form(answer)])
        right = self.shape is None or answer.shape == torch.Size(self.shape(*args))
        if not right or not answer.is_floating_point():
            raise AssertionError(
                "Which shape does `forward` return, and which one does the statement say?"
            )
        return answer


def _read_parameters(described: Any) -> list[Parameter]:
    with parsing_untrusted():
        return [read_parameter(item) for item in few(described)]


def _nothing(*_: object) -> None:
    """The default of `supply`, which adds no argument."""


def _form(answer: object) -> str:
    if isinstance(answer, tuple | list):
        return "several"
    return "nothing" if answer is None else "other"


def _place(arg: object, args: list) -> int:
    return next(place for place, candidate in enumerate(args) if candidate is arg)
