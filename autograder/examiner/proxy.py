"""The candidate at arm's length: what graders build, load, call and look at."""

import contextlib
import itertools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from autograder.channel import ChannelError
from autograder.examiner.descriptions import believing, plain
from autograder.examiner.faults import CandidateFault
from autograder.examiner.layer import Layer, floats
from autograder.examiner.rehearsal import Rehearsal
from autograder.examiner.sitting import Sitting

MAX_WORK = 8 << 20  # numbers that a part computes with; attention's grow with a length squared


@dataclass(frozen=True)
class Part:
    """A stand-in that asks to be played: which one, and how the student's code built it."""

    role: str
    number: int
    built: dict[str, object]  # constructor arguments, by the student's names or the statement's


class Candidate:
    """A submission's code. Every method may raise `CandidateFault` or `Gone`.

    `aliases` are patterns of what students call the reference's layers, `statement` the
    arguments that the statement gives to each part: of the constructor, of `forward`.
    """

    def __init__(
        self,
        sitting: Sitting | Rehearsal,
        aliases: Mapping[str, str],
        statement: Mapping[str, tuple[list[str], list[str]]],
    ):
        self.sitting = sitting
        self.aliases = aliases
        self.statement = statement
        self.casts: list[dict[str, Callable[..., torch.Tensor]]] = []
        self.own_parts = False  # grade the student's own parts: stand-ins are left out
        self.played = False  # whether a stand-in is in what was built, or has asked
        self.heard: Callable | None = None  # is told every operation with its answer or its fault

    @property
    def stand_ins_used(self) -> bool:
        return bool(self.casts)

    def build(self, name: str, *args, **kwargs) -> "Layer":
        """Call what the student defined as `name`."""
        question = {"name": name, "args": list(args), "kwargs": kwargs}
        answer = self.ask("build", question, about=name)
        with believing():
            match answer:
                case (int(handle), None | list() as parameters, bool(played)):
                    self.played |= played
                    return Layer(self, handle, name, parameters, played)
        raise ChannelError("an answer of another form")

    def refusals(self, name: str, *calls: Sequence[object]) -> list[str | None]:
        """Return the types of the exceptions that building raises, None where it raises none.

        Raises `CandidateFault` where there is nothing to build yet.
        """
        question = {"name": name, "calls": [list(args) for args in calls]}
        answers = self.ask("refusals", question, about=name)
        with believing():
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
        self.played = False
        self.casts.clear()
        self.sitting.begin()
        self.sitting.prepare("forget", {})
        self.sitting.prepare("precision", {"double": double})

    def ask(self, operation: str, arguments: dict, about: str = "") -> Any:
        """Put one question to the sitting. Raises `CandidateFault`, `Gone`."""
        try:
            answer = self.sitting.ask(operation, arguments, player=self._play, about=about)
        except CandidateFault as fault:
            self._tell(operation, None, fault)
            raise
        self._tell(operation, answer)
        return answer

    def _tell(self, *heard: object) -> None:
        if self.heard:
            self.heard(*heard)

    def _play(self, asked: dict) -> object:
        """Compute what a stand-in asks for: a part's answer, or the gradients of what it was handed."""
        self.played = True
        match asked:
            case {
                "role": str(role),
                "number": int(number),
                "built": dict(),
                "handed": list(handed),
            }:
                part = Part(role, number, plain(asked["built"]))
            case _:
                raise ValueError("no question of a stand-in")
        player, upstream = self.casts[asked["scene"]][role], asked["upstream"]
        handed = handed[: len(self.statement[role][1])]
        _weigh(handed)
        if upstream is None:
            self._tell("played", [item for item in handed if floats(item)])
            with torch.no_grad():
                return player(part, *handed)
        leaves = [_leaf(item) for item in handed]
        with torch.enable_grad():
            played = player(part, *leaves)
            if played.shape != upstream.shape or not floats(upstream):
                raise ValueError("no gradient of what was played")
            (played * upstream).sum().backward()
        gradients = [getattr(leaf, "grad", None) for leaf in leaves]
        return gradients + [None] * (len(asked["handed"]) - len(leaves))


def _weigh(handed: list) -> None:
    """Raise `ValueError` for what no part can be handed: the examiner computes with it."""
    first, tensors = handed[0], [item for item in handed if isinstance(item, torch.Tensor)]
    if not floats(first) or first.dtype != torch.get_default_dtype():
        raise ValueError("a part is handed floating numbers, of the dtype that was asked in")
    axes = itertools.zip_longest(*(reversed(tensor.shape) for tensor in tensors), fillvalue=1)
    together = [max(sizes) for sizes in axes]  # as wide as they make each other
    if math.prod(together) * max(together) > MAX_WORK:
        raise ValueError("a part is handed more than any question asks for")


def _leaf(item: object) -> object:
    if isinstance(item, torch.Tensor) and item.is_floating_point():
        return item.requires_grad_()
    return item
