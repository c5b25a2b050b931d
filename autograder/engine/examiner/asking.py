"""Put questions to a submission's code, with their first steps, stand-ins and played functions."""

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
    """Within this block, torch draws separate random numbers.

    The numbers after it are the same, however many were drawn.
    """
    seed, generator = int(torch.randint(1 << 31, ())), torch.default_generator
    state = generator.get_state()
    generator.manual_seed(seed)  # `torch.manual_seed` formats the stack for CUDA, which is slow
    try:
        yield
    finally:
        generator.set_state(state)


class Asker:
    """Puts questions to `backend`, and keeps the calls of stand-ins that the replies report.

    `aliases`: patterns of students' names for each of the reference's layers, by the reference's
    name.
    """

    def __init__(self, backend: Backend, aliases: Mapping[str, str]):
        self.backend = backend
        self.aliases = aliases
        self.on_answer: Callable | None = None  # called with operation, answer and fault
        self.prepared: list[Step] = []  # the first steps of the next question
        self.group: int | None = None  # of the stand-ins in place; None: unknown, or none
        self.played: list[Callable[..., torch.Tensor]] = []  # functions for the code
        # Results for the runner of the check:
        self.several: dict[str, int] = {}  # number of results of parts that return several
        self.calls = defaultdict[str, list[StandInCall]](list)  # of stand-ins that compute, by part
        self.stand_ins_used: frozenset[str] = frozenset()  # parts that were built or called
        self.library: frozenset[str] | None = None  # torch's names that were called
        self.handed = 0  # numbers in the arguments of stand-ins

    def prepare(self, operation: str, arguments: dict) -> None:
        """Add a step to the beginning of the next question, in the same message.

        If the step raises, that counts as a fault of the question. `operation` and `arguments`: see
        `candidate/operations.py`.
        """
        self.prepared.append((operation, arguments))

    @contextlib.contextmanager
    def aside(self) -> Iterator[None]:
        """Within this block, answers and calls of stand-ins are not recorded.

        After it, random numbers go on as after a single draw, however many were drawn.
        """
        saved = self.on_answer, self.several, self.stand_ins_used, self.handed
        calls = {name: [*part_calls] for name, part_calls in self.calls.items()}
        self.on_answer, self.several = None, {**self.several}
        try:
            with own_random_numbers():
                yield
        finally:
            self.on_answer, self.several, self.stand_ins_used, self.handed = saved
            for name, part_calls in self.calls.items():  # a grader may hold the list
                part_calls[:] = calls.get(name, [])

    def stand_in_again(self, group: int | None) -> None:
        """Before the next question, put the stand-ins with which a layer was built in place again.

        `group`: the number of the call of `stand_in` in this check, from 0. None, or the group in
        place, changes nothing.
        """
        if group is not None and group != self.group:
            self.prepare("stand_in_again", {"group": group})
            self.group = group

    def ask(self, operation: str, arguments: dict, about: str = "", record: bool = True) -> Any:
        """Put a question, the prepared steps and then this operation, and return its answer.

        `operation` and `arguments`: see `candidate/operations.py`. `about`: the name that the
        student's message mentions. `record`: whether `on_answer` is called with the answer.

        Raise `CandidateFault` if the student's code raises, `CandidateLost` if its process ends or
        times out, `ValueError` if the answer of a function, or a value, has too many numbers.
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
        """Return the names of torch's functions, operators and classes that a call uses.

        `handle`: the object's number. `args`: the arguments of the call. `about`: the name that the
        student's message mentions. The candidate may report any names: compare them with fixed
        names, and never look them up.
        """
        answer = self.ask("library_calls", {"handle": handle, "args": args}, about=about)
        with parsing_untrusted():
            self.library = frozenset(name for name in answer if isinstance(name, str))
        return self.library

    def _report(self, *answer: object) -> None:
        if self.on_answer:
            self.on_answer(*answer)

    def _compute(self, request: dict) -> object:
        """Return the result of a played function or, with an upstream gradient, a list of its
        arguments' gradients.

        `request`: the candidate's, see `Backend.ask`. Raise `ValueError` if it has another form or
        too many numbers.
        """
        match request:
            case {"played": int(number), "handed": list(handed), "upstream": upstream}:
                self._count(handed)
                return computed(self.played[number], handed, upstream)
        raise ValueError("no question of a played function")

    def _hear(self, calls: Any) -> None:
        """Keep the calls of stand-ins in a reply. Raise `ChannelError` for another form."""
        with parsing_untrusted():
            for call in map(read_call, calls):
                if call.kept is not None:
                    self._count(call.kept)
                self.stand_ins_used |= {call.part.name}
                self.calls[call.part.name].append(call)

    def _count(self, handed: list) -> None:
        """Count the numbers in a part's arguments. Raise `ValueError` if a check has too many."""
        self.handed += check_handed(handed)
        if self.handed > MAX_IN_A_CHECK:
            raise ValueError("parts are handed more than any check asks for")
