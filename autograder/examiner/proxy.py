"""The candidate at arm's length: what graders build, load, call and look at."""

import contextlib
import itertools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from autograder.channel import MAX_DIMS, ChannelError
from autograder.examiner.faults import CandidateFault
from autograder.examiner.roles import NoSuchRole, Parameter, assign
from autograder.examiner.sitting import Sitting

MAX_ITEMS = 150  # modules or parameters of a layer, as in the candidate's `describe.py`
MAX_SIZE = 1 << 24  # of a parameter, along an axis
MAX_WORK = (
    8 << 20
)  # numbers that a part computes with: attention's grow with the square of a length


@dataclass(frozen=True)
class Part:
    """A stand-in that asks to be played: which one, and how the student's code built it."""

    role: str
    number: int
    built: dict[str, object]  # constructor arguments, by the student's names or the statement's


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
    """A submission's code. Every method may raise `CandidateFault` or `Gone`.

    `aliases` are patterns of what students call the reference's layers, `statement` the
    arguments that the statement gives to each part: of the constructor, of `forward`.
    """

    def __init__(
        self,
        sitting: Sitting,
        aliases: Mapping[str, str],
        statement: Mapping[str, tuple[list[str], list[str]]],
    ):
        self.sitting = sitting
        self.aliases = aliases
        self.statement = statement
        self.casts: list[dict[str, Callable[..., torch.Tensor]]] = []
        self.own_parts = False  # grade the student's own parts: stand-ins are left out

    @property
    def stand_ins_used(self) -> bool:
        return bool(self.casts)

    def build(self, name: str, *args, **kwargs) -> "Layer":
        """Call what the student defined as `name`."""
        question = {"name": name, "args": list(args), "kwargs": kwargs}
        answer = self.ask("build", question, about=name)
        with _believing():
            match answer:
                case (int(handle), None | list() as parameters, bool(played)):
                    return Layer(self, handle, name, parameters, played)
        raise ChannelError("an answer of another form")

    def refusals(self, name: str, *calls: Sequence[object]) -> list[str | None]:
        """Return the types of the exceptions that building raises, None where it raises none.

        Raises `CandidateFault` where there is nothing to build yet.
        """
        question = {"name": name, "calls": [list(args) for args in calls]}
        answers = self.ask("refusals", question, about=name)
        with _believing():
            if not isinstance(answers, list) or len(answers) != len(calls):
                raise ValueError("an answer for each call")
            return [answer if isinstance(answer, str) else None for answer in answers]

    @contextlib.contextmanager
    def stand_in(
        self, *names: str, passes: bool = False, **players: Callable | torch.Tensor
    ) -> Iterator[None]:
        """Hide these names behind stand-ins while layers are built, and until the check ends.

        A stand-in passes its first argument on (`passes`), returns a tensor, or has its part played:
        the player is called with a `Part` and the arguments of the statement, in its order, and
        returns a tensor.
        """
        if not self.own_parts:
            roles = [
                {"name": name, "scene": len(self.casts)}
                | dict(zip(("constructor", "forward"), self.statement[name], strict=True))
                for name in (*names, *players)
            ]
            given = {n: p for n, p in players.items() if isinstance(p, torch.Tensor)}
            self.casts.append({n: p for n, p in players.items() if not isinstance(p, torch.Tensor)})
            question = {"roles": roles, "passes": passes, "returns": given}
            self.sitting.prepare("stand_in", question)
        yield

    def begin(self, double: bool, own_parts: bool) -> None:
        """Start a check with a clean table."""
        self.own_parts = own_parts
        self.casts.clear()
        self.sitting.begin()
        self.sitting.prepare("forget", {})
        self.sitting.prepare("precision", {"double": double})

    def ask(self, operation: str, arguments: dict, about: str = "") -> Any:
        return self.sitting.ask(operation, arguments, player=self._play, about=about)

    def _play(self, asked: dict) -> object:
        """Compute what a stand-in asks for: a part's answer, or the gradients of what it was handed."""
        match asked:
            case {
                "role": str(role),
                "number": int(number),
                "built": dict(),
                "handed": list(handed),
            }:
                part = Part(role, number, _plain(asked["built"]))
            case _:
                raise ValueError("no question of a stand-in")
        player, upstream = self.casts[asked["scene"]][role], asked["upstream"]
        handed = handed[: len(self.statement[role][1])]
        _weigh(handed)
        if upstream is None:
            with torch.no_grad():
                return player(part, *handed)
        leaves = [_leaf(item) for item in handed]
        with torch.enable_grad():
            played = player(part, *leaves)
            if played.shape != upstream.shape or not _floats(upstream):
                raise ValueError("no gradient of what was played")
            (played * upstream).sum().backward()
        gradients = [getattr(leaf, "grad", None) for leaf in leaves]
        return gradients + [None] * (len(asked["handed"]) - len(leaves))


def _weigh(handed: list) -> None:
    """Raise `ValueError` for what no part can be handed: the examiner computes with it."""
    first, tensors = handed[0], [item for item in handed if isinstance(item, torch.Tensor)]
    if not _floats(first) or first.dtype != torch.get_default_dtype():
        raise ValueError("a part is handed floating numbers, of the dtype that was asked in")
    axes = itertools.zip_longest(*(reversed(tensor.shape) for tensor in tensors), fillvalue=1)
    together = [max(sizes) for sizes in axes]  # as wide as they make each other
    if math.prod(together) * max(together) > MAX_WORK:
        raise ValueError("a part is handed more than any question asks for")


def _leaf(item: object) -> object:
    if isinstance(item, torch.Tensor) and item.is_floating_point():
        return item.requires_grad_()
    return item


@dataclass(frozen=True)
class Gradients:
    """What arrived at the floating arguments and at the parameters: tensors, or None for nothing."""

    arguments: list[torch.Tensor | None]
    parameters: dict[str, torch.Tensor | None]

    def arrive(self) -> bool:
        """Whether there is something to learn, and gradient that is not zero everywhere."""
        arrived = [*self.arguments, *self.parameters.values()]
        return bool(arrived) and all(g is not None and bool((g != 0).any()) for g in arrived)


class Layer:
    """One object that the student's code made."""

    def __init__(
        self, candidate: Candidate, handle: int, name: str, parameters: list | None, played: bool
    ):
        self.candidate = candidate
        self.handle = handle
        self.name = name
        self.played = played  # whether a stand-in is part of it
        self.described = parameters  # until something is done with it that may change them
        self.shape: Callable[..., Sequence[int]] | None = None

    def expect(self, shape: Callable[..., Sequence[int]]) -> "Layer":
        """Hold every answer to this shape, a function of the arguments."""
        self.shape = shape
        return self

    def __call__(self, *args: object) -> torch.Tensor:
        """Return the tensor that the layer returns, or the first of several.

        Raises `AssertionError` if there is none, or one of another shape.
        """
        return self.each(args)[0]

    def each(self, *calls: Sequence[object]) -> list[torch.Tensor]:
        """Return what `__call__` would for each of these arguments, by one question."""
        answers = self._call(calls, echo=False)
        return [
            self._tensor(_first(answer), args) for answer, args in zip(answers, calls, strict=True)
        ]

    def leniently(self, *args: object) -> torch.Tensor:
        """Return the answer without the last argument, or with it where the student insists on it."""
        return self.each_leniently(args)[0]

    def each_leniently(self, *calls: Sequence[object]) -> list[torch.Tensor]:
        """Return what `leniently` would for each of these arguments, by one question."""
        try:
            return self.each(*(args[:-1] for args in calls))
        except CandidateFault:
            return self.each(*calls)

    def unchanged(self, *args: object) -> torch.Tensor:
        """Return the answer, or the first of several; the arguments have to stay as they were."""
        return self._tensor(_first(self._unchanged(args)), args)

    def strictly(self, *args: object) -> torch.Tensor:
        """Return the answer; it has to come alone, and the arguments have to stay as they were."""
        return self._tensor(self._unchanged(args), args)

    def _unchanged(self, args: Sequence[object]) -> object:
        ((answer, after),) = self._call([args], echo=True)
        with _believing():
            if not isinstance(after, list):
                raise TypeError("arguments come as a list")
            same = all(_same(now, before) for now, before in zip(after, args, strict=True))
        if not same:
            raise AssertionError(
                "After the call the input is another. Which line changes it in place?"
            )
        return answer

    def _call(self, calls: Sequence[Sequence[object]], echo: bool) -> list:
        answers = self._ask("call", calls=[list(args) for args in calls], echo=echo)
        with _believing():
            pairs = answers if echo else []
            if not isinstance(answers, list) or len(answers) != len(calls):
                raise ValueError("an answer for each call")
            if not all(isinstance(pair, tuple) and len(pair) == 2 for pair in pairs):
                raise ValueError("an answer with its arguments")
            return answers

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
        question = {"handle": self.handle, "tensors": tensors}
        self.candidate.sitting.prepare("load", question)

    def eval(self) -> "Layer":
        return self._mode(training=False)

    def train(self) -> "Layer":
        return self._mode(training=True)

    def _mode(self, training: bool) -> "Layer":
        self.candidate.sitting.prepare("mode", {"handle": self.handle, "training": training})
        return self

    def gradients(self, *args: object, upstream: torch.Tensor | None = None) -> "Gradients":
        """Return the gradients of sum(upstream * output); `upstream` is random unless it is given."""
        if upstream is None:
            assert self.shape is not None
            upstream = torch.randn(*self.shape(*args))
        answer = self._ask("gradients", args=list(args), upstream=upstream)
        with _believing():
            arguments, parameters = answer["arguments"], answer["parameters"]
            if not isinstance(arguments, list) or not isinstance(parameters, dict):
                raise TypeError("gradients come as a list and by name")
            if not all(_is_gradient(item) for item in (*arguments, *parameters.values())):
                raise TypeError("a gradient is a tensor or None")
            floating = [g for g, arg in zip(arguments, args, strict=True) if _floats(arg)]
        return Gradients(floating, parameters)

    def learns(self, *args: object) -> bool:
        """Whether gradient arrives at every floating argument and at everything that is learned."""
        return self.gradients(*args).arrive()

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
        answer = self.candidate.ask("modules", {"handle": self.handle}, about=self.name)
        with _believing():
            return [_module(item) for item in _few(answer)]

    def parameters(self) -> list[Parameter]:
        """The parameters in order of registration, shared ones under each of their names."""
        answer = self._ask("parameters") if self.described is None else self.described
        with _believing():
            return [_parameter(item) for item in _few(answer)]

    def _ask(self, operation: str, about: str = "", **arguments: object) -> Any:
        self.described = None
        question = {"handle": self.handle, **arguments}
        return self.candidate.ask(operation, question, about=about or self.name)

    def _tensor(self, answer: object, args: Sequence[object]) -> torch.Tensor:
        if not isinstance(answer, torch.Tensor):
            raise AssertionError("Does `forward` return the output, and nothing else?")
        right = self.shape is None or answer.shape == torch.Size(self.shape(*args))
        if not right or not answer.is_floating_point():
            raise AssertionError(
                "Which shape does `forward` return, and which one does the statement say?"
            )
        return answer


def _first(answer: object) -> object:
    """Return the answer, or the first of several."""
    return answer[0] if isinstance(answer, tuple | list) and answer else answer


def _floats(item: object) -> bool:
    return isinstance(item, torch.Tensor) and item.is_floating_point()


def _same(now: object, before: object) -> bool:
    if not isinstance(before, torch.Tensor):
        return now == before
    return isinstance(now, torch.Tensor) and now.dtype == before.dtype and torch.equal(now, before)


def _module(told: object) -> Module:
    match told:
        case {
            "name": str(name), "class": str(class_name), "kinds": list(kinds),
            "identity": int(identity), "facts": dict(facts), "bias": bool(bias),
            "stand_in": None | str() as stand_in,
        } if all(isinstance(kind, str) for kind in kinds):  # fmt: skip
            return Module(name, identity, class_name, tuple(kinds), _plain(facts), stand_in, bias)
    raise ValueError("no description of a module")


def _parameter(told: object) -> Parameter:
    match told:
        case [str(name), int(identity), list(shape), bool(requires_grad)] if _is_shape(shape):
            return Parameter(name, identity, tuple(shape), requires_grad)
    raise ValueError("no description of a parameter")


def _is_shape(told: list) -> bool:
    return len(told) <= MAX_DIMS and all(type(n) is int and 0 <= n < MAX_SIZE for n in told)


def _plain(told: dict) -> dict[str, object]:
    """Return numbers, texts and truths by their names, and anything else as None."""
    simple = (bool, int, float, str)
    return {str(name): value if type(value) in simple else None for name, value in told.items()}


def _few(described: list) -> list:
    """Return the descriptions: a candidate tells of no more than MAX_ITEMS."""
    if not isinstance(described, list) or len(described) > MAX_ITEMS:
        raise ValueError("no list of descriptions, or too long a one")
    return described


def _is_gradient(item: object) -> bool:
    return item is None or isinstance(item, torch.Tensor)


@contextlib.contextmanager
def _believing() -> Iterator[None]:
    """Take an answer apart; one of another form is nonsense on the channel."""
    try:
        yield
    except Exception as error:  # whatever odd values make Python or torch raise
        raise ChannelError("an answer of another form") from error
