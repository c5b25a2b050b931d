"""Put questions to a submission's code: steps that come first, stand-ins, and what is computed here."""

import contextlib
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import torch

from autograder.engine.candidate.known import check_handed, computed
from autograder.engine.examiner.backend import Backend
from autograder.engine.examiner.bounds import MAX_IN_A_CHECK, check_plain
from autograder.engine.examiner.descriptions import parsing_untrusted
from autograder.engine.examiner.question import Question, Step
from autograder.engine.examiner.stand_in import StandInCall, read_call


@contextlib.contextmanager
def own_random_numbers() -> Iterator[None]:
    """Within this block, torch draws random numbers of its own: those after it are the same,
    however many were drawn.
    """
    seed, generator = int(torch.randint(1 << 31, ())), torch.default_generator
    state = generator.get_state()
    generator.manual_seed(seed)  # `torch.manual_seed` formats the stack, for CUDA's sake
    try:
        yield
    finally:
        generator.set_state(state)


class Asker:
    """Puts questions to `backend`, which runs the code, and keeps what the replies report about the
    calls of stand-ins. `aliases`: patterns of what students call each of the reference's layers, by
    the layer's name in the reference.
    """

    def __init__(self, backend: Backend, aliases: Mapping[str, str]):
        self.backend = backend
        self.aliases = aliases
        self.on_answer: Callable | None = None  # called with an operation, its answer, its fault
        self.prepared: list[Step] = []  # what the next question begins with
        self.group: int | None = None  # of stand-ins in the parts' place; None: unknown, or none
        self.played: list[Callable[..., torch.Tensor]] = []  # functions that were handed over
        # What became of it, for whoever runs the check:
        self.several: dict[str, int] = {}  # by part, where its answer came with others: how many
        self.calls = defaultdict[str, list[StandInCall]](list)  # of stand-ins that compute, by part
        self.stand_ins_used: frozenset[str] = frozenset()  # parts of what was built, or called
        self.library: frozenset[str] | None = None  # names of torch's that were found called
        self.handed = 0  # numbers that stand-ins were handed

    def prepare(self, operation: str, arguments: dict) -> None:
        """Add a step to the beginning of the next question, in the same message. If the step
        raises, that counts as a fault of the question.

        `operation` and `arguments`: the step, see `candidate/operations.py`.
        """
        self.prepared.append((operation, arguments))

    @contextlib.contextmanager
    def aside(self) -> Iterator[None]:
        """Within this block, answers are not recorded; after it, no calls of stand-ins are left
        from there, and random numbers go on as if one had been drawn, however many were.
        """
        kept = self.on_answer, self.several, self.stand_ins_used, self.handed
        calls = {name: [*made] for name, made in self.calls.items()}
        self.on_answer, self.several = None, {**self.several}
        try:
            with own_random_numbers():
                yield
        finally:
            self.on_answer, self.several, self.stand_ins_used, self.handed = kept
            for name, made in self.calls.items():  # a grader may hold the list
                made[:] = calls.get(name, [])

    def stand_in_again(self, group: int | None) -> None:
        """Before the next question, put the stand-ins of this group in place again, with which a
        layer was built. None, or the group that is in place, changes nothing.

        `group`: the number of the call of `stand_in` in this check, from 0.
        """
        if group is not None and group != self.group:
            self.prepare("stand_in_again", {"group": group})
            self.group = group

    def ask(self, operation: str, arguments: dict, about: str = "", record: bool = True) -> Any:
        """Put one question: the prepared steps, then this operation; return its answer. The
        prepared steps are then used up. `operation` and `arguments`: what is asked, see
        `candidate/operations.py`; `about`: the name that the student's message mentions; `record`:
        whether `on_answer` is called with the answer.

        Raise `CandidateFault` if the student's code raises, `CandidateLost` if its process ends or
        times out, `ValueError` if the answer of a function, or a value, holds too many numbers.
        """
        steps, self.prepared = [*self.prepared, (operation, arguments)], []
        reply = self.backend.ask(Question(steps, about), self._compute)
        self._hear(reply.handed)
        if reply.fault:
            self.group = None
            self._report(operation, None, reply.fault)
            raise reply.fault
        if operation in ("function", "value"):
            check_plain(reply.value)
        if record:
            self._report(operation, reply.value)
        return reply.value

    def library_calls(self, handle: int, args: list, about: str = "") -> frozenset[str]:
        """Return the names of torch's functions, operators and classes that a call of an object
        uses.

        `handle`: the object's number; `args`: the arguments of the call; `about`: the name that the
        student's message mentions. The candidate may report any names: compare them with fixed
        ones, and never look them up.
        """
        answer = self.ask("library_calls", {"handle": handle, "args": args}, about=about)
        with parsing_untrusted():
            self.library = frozenset(name for name in answer if isinstance(name, str))
        return self.library

    def _report(self, *answer: object) -> None:
        if self.on_answer:
            self.on_answer(*answer)

    def _compute(self, asked: dict) -> object:
        """Return the result of a played function or, if the request has an upstream gradient, a
        list of its arguments' gradients. `asked`: the candidate's request, see `Backend.ask`. Raise
        `ValueError` if it has another form or hands over too many numbers.
        """
        match asked:
            case {"played": int(number), "handed": list(handed), "upstream": upstream}:
                self._count(handed)
                return computed(self.played[number], handed, upstream)
        raise ValueError("no question of a played function")

    def _hear(self, calls: Any) -> None:
        """Keep the calls of stand-ins that a reply reports. Raise `ChannelError` if one has another
        form.
        """
        with parsing_untrusted():
            for one in map(read_call, calls):
                if one.kept is not None:
                    self._count(one.kept)
                self.stand_ins_used |= {one.part.name}
                self.calls[one.part.name].append(one)

    def _count(self, handed: list) -> None:
        """Add the numbers in `handed`, the arguments of a part, to those of this check. Raise
        `ValueError` if these are too many to keep.
        """
        self.handed += check_handed(handed)
        if self.handed > MAX_IN_A_CHECK:
            raise ValueError("parts are handed more than any check asks for")
